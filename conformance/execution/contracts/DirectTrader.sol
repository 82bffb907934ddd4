// SPDX-License-Identifier: MIT
pragma solidity ^0.8.34;

/// One swap of a plan.
struct Swap {
    address pool;
    address from;
    address to;
    /// What the plan sells here, in base units of `from`.
    uint256 amount;
    /// Whether it takes all that the swaps before it left of `from`.
    bool takesRest;
}

interface IToken {
    function balanceOf(address holder) external view returns (uint256);
}

interface IPair {
    function getReserves() external view returns (uint112, uint112, uint32);
    function getAmountOut(uint256 amountIn, address from) external view returns (uint256);
    function swap(uint256 out0, uint256 out1, address to, bytes calldata data) external;
}

interface IConcentratedPool {
    function swap(address to, bool zeroForOne, int256 amount, uint160 limit, bytes calldata data)
        external
        returns (int256, int256);
}

/// @title Makes the swaps of a plan with the pools themselves, through no router
/// @notice Is deployed nowhere but on forks. Supports pairs as Uniswap V2 has them, whatever their
/// fee, and pools that call back as those of Uniswap V3 do, whatever the name of their callback.
contract DirectTrader {
    uint256 private constant LOWEST_LIMIT = 4295128740;
    uint256 private constant HIGHEST_LIMIT = 1461446703485210103287273052203988822378723970341;
    /// How far the square root of a price may go: beyond, a swap reads tick after tick for nothing.
    uint256 private constant REACH = 4;
    uint256 private constant ONE = 1_000_000;

    error NotPaid(address token);
    error NotGiven(address pool);

    /// @notice Sells `times / parts` of what a plan sells. This account keeps the yield.
    function trade(Swap[] calldata swaps, uint256 times, uint256 parts) external {
        _trade(swaps, times, false, parts);
    }

    /// @notice Returns the yield of a plan, of which `times / parts` is sold after `earlierTimes / parts` of another.
    /// @dev For an `eth_call`.
    function quote(
        Swap[] calldata earlier,
        uint256 earlierTimes,
        Swap[] calldata swaps,
        uint256 times,
        uint256 parts,
        address bought
    ) external returns (uint256) {
        if (earlierTimes > 0) _trade(earlier, earlierTimes, false, parts);
        uint256 held = IToken(bought).balanceOf(address(this));
        _trade(swaps, times, true, parts);
        return IToken(bought).balanceOf(address(this)) - held;
    }

    /// @param isWhole Whether to revert if a pool takes less than it is offered
    function _trade(Swap[] calldata swaps, uint256 times, bool isWhole, uint256 parts) private {
        uint256[] memory held = new uint256[](swaps.length);
        for (uint256 i; i < swaps.length; ++i) held[i] = IToken(swaps[i].from).balanceOf(address(this));
        for (uint256 i; i < swaps.length; ++i) {
            Swap calldata step = swaps[i];
            uint256 amount = step.takesRest
                ? IToken(step.from).balanceOf(address(this)) - held[i]
                : step.amount * times / parts;
            if (_isPair(step.pool)) _swapPair(step, amount);
            else if (_swapConcentrated(step, amount) < amount && isWhole) revert NotGiven(step.pool);
        }
    }

    /// @notice Pays a pool that calls back for what it is owed; the token stands in the last word.
    fallback() external {
        (int256 owed0, int256 owed1) = abi.decode(msg.data[4:68], (int256, int256));
        address token = abi.decode(msg.data[msg.data.length - 32:], (address));
        _pay(token, msg.sender, uint256(owed0 > 0 ? owed0 : owed1));
    }

    function _isPair(address pool) private view returns (bool) {
        (bool done, bytes memory returned) = pool.staticcall(abi.encodeCall(IPair.getReserves, ()));
        return done && returned.length >= 64;
    }

    function _swapConcentrated(Swap calldata step, uint256 amount) private returns (uint256) {
        bool isZeroForOne = step.from < step.to;
        (int256 owed0, int256 owed1) = IConcentratedPool(step.pool).swap(
            address(this),
            isZeroForOne,
            int256(amount),
            _limitOf(step.pool, isZeroForOne),
            abi.encode(step.from)
        );
        return uint256(isZeroForOne ? owed0 : owed1);
    }

    function _limitOf(address pool, bool isZeroForOne) private view returns (uint160) {
        (bool done, bytes memory returned) = pool.staticcall(abi.encodeWithSignature("slot0()"));
        if (!done) (, returned) = pool.staticcall(abi.encodeWithSignature("globalState()"));
        uint256 root = abi.decode(returned, (uint256));
        if (isZeroForOne) return uint160(root / REACH > LOWEST_LIMIT ? root / REACH : LOWEST_LIMIT);
        return uint160(root * REACH < HIGHEST_LIMIT ? root * REACH : HIGHEST_LIMIT);
    }

    function _swapPair(Swap calldata step, uint256 amount) private {
        (uint256 reserve0, uint256 reserve1,) = IPair(step.pool).getReserves();
        bool isZeroForOne = step.from < step.to;
        (uint256 reserveIn, uint256 reserveOut) =
            isZeroForOne ? (reserve0, reserve1) : (reserve1, reserve0);
        _pay(step.from, step.pool, amount);
        uint256 paid = IToken(step.from).balanceOf(step.pool) - reserveIn;
        (bool done, bytes memory returned) =
            step.pool.staticcall(abi.encodeCall(IPair.getAmountOut, (paid, step.from)));
        if (done && returned.length == 32) {
            if (_give(step.pool, isZeroForOne, abi.decode(returned, (uint256)))) return;
        }
        // The pair refuses what its fee does not allow.
        uint16[9] memory fees = [500, 1000, 1700, 2000, 2500, 3000, 4000, 5000, 10000];
        for (uint256 i; i < fees.length; ++i) {
            uint256 kept = paid * (ONE - fees[i]);
            if (_give(step.pool, isZeroForOne, kept * reserveOut / (reserveIn * ONE + kept))) return;
        }
        revert NotGiven(step.pool);
    }

    function _give(address pool, bool isZeroForOne, uint256 out) private returns (bool done) {
        (uint256 out0, uint256 out1) = isZeroForOne ? (uint256(0), out) : (out, uint256(0));
        (done,) = pool.call(abi.encodeCall(IPair.swap, (out0, out1, address(this), "")));
    }

    /// @dev Some tokens return nothing.
    function _pay(address token, address to, uint256 amount) private {
        (bool done, bytes memory returned) =
            token.call(abi.encodeWithSignature("transfer(address,uint256)", to, amount));
        if (!done || (returned.length > 0 && !abi.decode(returned, (bool)))) revert NotPaid(token);
    }
}
