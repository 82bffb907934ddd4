// SPDX-License-Identifier: MIT
pragma solidity ^0.8.34;

interface IPaidToken {
    function transfer(address to, uint256 amount) external returns (bool);
}

interface IRouter {
    struct Order {
        uint256 sellAmount;
        uint256 buyAmount;
        address recipient;
        uint256 deadline;
        bool unwrap;
    }

    struct Swap {
        uint256 hop;
        uint256 share;
    }

    function uniswapV3SwapCallback(int256 amount0Delta, int256 amount1Delta, bytes calldata data) external;
    function sellExactly(Order calldata order, address[] calldata tokens, Swap[] calldata swaps)
        external
        payable
        returns (uint256);
}

/// A pair and a concentrated pool in one. The constructor sets how much the pool pays and charges.
contract FakePool {
    /// With this number of callbacks, the pool starts another trade instead.
    uint256 private constant REENTERS = 255;

    address public immutable token0;
    address public immutable token1;
    /// Percentage of the owed output that is paid out.
    uint256 public immutable givesPercent;
    /// Charge in a callback: a percentage of the owed input, plus an amount.
    uint256 public immutable asksPercent;
    int256 public immutable asksMore;
    uint256 public immutable callbacks;

    constructor(
        address token0_,
        address token1_,
        uint256 givesPercent_,
        uint256 asksPercent_,
        int256 asksMore_,
        uint256 callbacks_
    ) {
        (token0, token1) = (token0_, token1_);
        (givesPercent, asksPercent, asksMore, callbacks) = (givesPercent_, asksPercent_, asksMore_, callbacks_);
    }

    function getReserves() external pure returns (uint112, uint112, uint32) {
        return (1e15, 1e15, 0);
    }

    /// Swap function of a constant-product pair.
    function swap(uint256 amount0Out, uint256 amount1Out, address to, bytes calldata) external {
        if (amount0Out > 0) _give(token0, amount0Out, to);
        if (amount1Out > 0) _give(token1, amount1Out, to);
    }

    /// Swap function of a concentrated pool, at a price of one.
    function swap(address to, bool zeroForOne, int256 amount, uint160, bytes calldata) external returns (int256, int256) {
        uint256 size = uint256(amount > 0 ? amount : -amount);
        _give(zeroForOne ? token1 : token0, size, to);
        int256 owed = int256(size * asksPercent / 100) + asksMore;
        if (callbacks == REENTERS) {
            address[] memory tokens = new address[](2);
            (tokens[0], tokens[1]) = (token0, token1);
            IRouter.Order memory order = IRouter.Order(0, 0, address(this), type(uint256).max, false);
            IRouter(msg.sender).sellExactly(order, tokens, new IRouter.Swap[](0));
            IRouter(msg.sender).uniswapV3SwapCallback(owed, owed, "");
        } else {
            _callBack(zeroForOne, owed, size);
        }
        return zeroForOne ? (owed, -int256(size)) : (-int256(size), owed);
    }

    function _callBack(bool zeroForOne, int256 owed, uint256 size) private {
        for (uint256 i; i < callbacks; ++i) {
            (int256 amount0, int256 amount1) = zeroForOne ? (owed, -int256(size)) : (-int256(size), owed);
            IRouter(msg.sender).uniswapV3SwapCallback(amount0, amount1, "");
        }
    }

    function _give(address token, uint256 amount, address to) private {
        uint256 given = amount * givesPercent / 100;
        if (given > 0) IPaidToken(token).transfer(to, given);
    }
}

interface IBalances {
    function balanceOf(address account) external view returns (uint256);
}

/// Code for a user's address during one `eth_call`: makes a call and returns the changes in balances.
contract Witness {
    /// Returns each holder's gain in each token, then in the native token.
    function watch(address to, bytes calldata input, uint256 value, address[] calldata tokens, address[] calldata holders)
        external
        returns (bool done, int256[] memory gains)
    {
        gains = _balances(tokens, holders);
        (done,) = to.call{value: value}(input);
        int256[] memory later = _balances(tokens, holders);
        for (uint256 i; i < gains.length; ++i) gains[i] = later[i] - gains[i];
    }

    receive() external payable {}

    function _balances(address[] calldata tokens, address[] calldata holders)
        private
        view
        returns (int256[] memory balances)
    {
        balances = new int256[](holders.length * (tokens.length + 1));
        uint256 slot;
        for (uint256 i; i < holders.length; ++i) {
            for (uint256 j; j < tokens.length; ++j) balances[slot++] = int256(IBalances(tokens[j]).balanceOf(holders[i]));
            balances[slot++] = int256(holders[i].balance);
        }
    }
}
