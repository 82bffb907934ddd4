// SPDX-License-Identifier: MIT
pragma solidity ^0.8.34;

/// One swap of a plan. As a token, the zero address means the native token. Its pool is the wrapped
/// token's contract.
struct Swap {
    address pool;
    address from;
    address to;
    /// Planned amount to sell, in base units of `from`.
    uint256 amount;
    /// True if the swap sells all of `from` that earlier swaps left over.
    bool takesRest;
}

/// Effect of a swap on this account's balances, in base units.
struct Swapped {
    uint256 sold;
    uint256 received;
}

/// A plan whose yield is measured: swaps by this account, or a call to a router that this account has approved.
struct Plan {
    Swap[] swaps;
    /// Amounts that the swaps sell, in millionths of the planned amounts.
    uint256 parts;
    /// Zero if the plan consists of swaps.
    address router;
    uint256 value;
    bytes data;
    address sold;
    address bought;
    /// Account that the router pays.
    address payee;
    /// If set, the yield is scaled to this number of base units of `sold`, at the router's price.
    uint256 most;
}

/// Market moves to try, in millionths of the amounts that the moving swaps sell.
struct Search {
    uint256 first;
    uint256 most;
    /// Two markets on either side of a limit are near if their moves differ by less than this many
    /// millionths.
    uint256 nearness;
    /// True if moves raise the yield.
    bool rises;
    /// Yields of the plan around which to search for markets.
    uint256[] limits;
}

/// A market after a move, and the yield of the plan there.
struct Market {
    uint256 moved;
    uint256 yielded;
}

interface IToken {
    function balanceOf(address holder) external view returns (uint256);
}

interface IWrapped {
    function deposit() external payable;
    function withdraw(uint256 amount) external;
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

/// @title Makes the swaps of a plan directly with the pools, without a router
/// @notice Never deployed: state overrides and forks place its code. Supports pairs like those of
/// Uniswap V2 at any fee, pools that call back like those of Uniswap V3 and Algebra, and the
/// wrapped native token. The contract sells the tokens that its own account holds.
contract PoolTrader {
    uint256 private constant PARTS = 1_000_000;
    uint256 private constant LOWEST_LIMIT = 4295128740;
    uint256 private constant HIGHEST_LIMIT = 1461446703485210103287273052203988822378723970341;
    /// Maximum factor by which a swap changes the square root of a price. A swap beyond this limit
    /// would read many ticks for nothing.
    uint256 private constant REACH = 4;
    uint256 private constant ONE_BP = 10_000;
    /// Number of fees that a pair may have: whole basis points from 0 to just below this.
    uint256 private constant FEES = 256;
    uint256 private constant MAX_ATTEMPTS = 40;
    /// Maximum factor from one move to the next, until a market is past all limits.
    uint256 private constant MAX_STEP = 16;
    /// Divisor of the available gas: the plan may use this share of it in the present market.
    uint256 private constant GAS_SHARES = 16;
    /// After a move, the plan may use this multiple of the gas that it uses in the present market, and `EXTRA_GAS`
    /// more. Beyond all liquidity, a swap would read tick after tick.
    uint256 private constant MORE_GAS = 4;
    uint256 private constant EXTRA_GAS = 1_000_000;

    /// What a failed swap does to the other swaps.
    enum Failures {
        Revert,
        /// Reverts also if a pool takes less than it is offered.
        RevertIfLess,
        Skip
    }

    error UnknownPool(uint256 index);
    error SwapFailed(uint256 index, bytes reason);
    error NotTaken(uint256 index);
    error Yield(uint256 amount, uint256[] fees);
    error NotPaid(address token);
    error NotMoved();
    error Accepted();
    error Rejected();

    /// Fee of a pair in basis points, plus one; zero until a swap has revealed the fee.
    mapping(address pair => uint256) private _fee;

    receive() external payable {}

    /// @notice Makes the swaps, and returns the effect of each.
    /// @param parts Amounts to sell, in millionths of the planned amounts
    function trade(Swap[] calldata swaps, uint256 parts) external payable returns (Swapped[] memory done) {
        return _trade(swaps, parts, Failures.Revert);
    }

    /// @notice Makes the swaps that do not fail.
    function move(Swap[] calldata swaps, uint256 parts) external payable {
        _trade(swaps, parts, Failures.Skip);
    }

    /// @notice Returns the present market and markets around each limit, with the yield of the plan in each.
    /// @param moving Swaps that move the market; if empty, the plan itself is repeated
    function marketsAround(Swap[] calldata moving, Plan calldata plan, Search calldata search)
        external
        returns (Market[] memory tried)
    {
        tried = new Market[](MAX_ATTEMPTS);
        uint256 usual = gasleft();
        tried[0] = Market(0, _yieldAfter(moving, 0, plan, usual / GAS_SHARES));
        usual = MORE_GAS * (usual - gasleft()) + EXTRA_GAS;
        uint256 count = 1;
        bool isPast = tried[0].yielded == 0;
        for (uint256 moved = search.first; !isPast && moved <= search.most; ++count) {
            tried[count] = Market(moved, _yieldAfter(moving, moved, plan, usual));
            isPast = true;
            for (uint256 i; i < search.limits.length; ++i) {
                isPast = isPast && _isPast(tried[count], search, i);
            }
            if (!isPast) moved *= _step(tried[0].yielded, tried[count].yielded, search);
        }
        for (uint256 i; i < search.limits.length; ++i) {
            for (; count < MAX_ATTEMPTS; ++count) {
                uint256 moved = _between(tried, count, search, i);
                if (moved == 0) break;
                tried[count] = Market(moved, _yieldAfter(moving, moved, plan, usual));
            }
        }
        assembly ("memory-safe") {
            mstore(tried, count)
        }
    }

    /// @notice Moves the market and executes a plan; always reverts, with the plan's yield or with an error.
    function attempt(Swap[] calldata moving, uint256 moved, Plan calldata plan) external {
        if (moving.length > 0 && moved > 0) _trade(moving, moved, Failures.Skip);
        else for (uint256 i; i < moved; ++i) _callRouter(plan);
        uint256 yielded = _held(plan.bought, plan.payee);
        uint256 held = _held(plan.sold, address(this));
        if (plan.router == address(0)) _trade(plan.swaps, plan.parts, Failures.RevertIfLess);
        else _callRouter(plan);
        yielded = _held(plan.bought, plan.payee) - yielded;
        if (plan.most > 0) yielded = yielded * plan.most / (held - _held(plan.sold, address(this)));
        uint256[] memory fees = new uint256[](plan.swaps.length);
        for (uint256 i; i < fees.length; ++i) fees[i] = _fee[plan.swaps[i].pool];
        revert Yield(yielded, fees);
    }

    /// @notice Makes one swap and returns its effect.
    function swapOne(Swap calldata step, uint256 amount) external returns (Swapped memory done) {
        require(msg.sender == address(this));
        if (amount == 0) return done;
        (uint256 held, uint256 had) = (_held(step.from, address(this)), _held(step.to, address(this)));
        if (step.from == address(0)) IWrapped(step.pool).deposit{ value: amount }();
        else if (step.to == address(0)) IWrapped(step.pool).withdraw(amount);
        else {
            // Algebra pools have reserves, too, but only pairs lack a price.
            uint256 root = _rootPrice(step.pool);
            if (root > 0) _swapConcentrated(step, amount, root);
            else _swapPair(step, amount);
        }
        return Swapped(held - _held(step.from, address(this)), _held(step.to, address(this)) - had);
    }

    /// @notice Reverts with `Accepted` if a pair gives an amount, otherwise with `Rejected`.
    function probe(address pair, uint256 out0, uint256 out1) external {
        (bool done,) = pair.call(abi.encodeCall(IPair.swap, (out0, out1, address(this), "")));
        if (done) revert Accepted();
        revert Rejected();
    }

    /// @notice Pays a pool that calls back; the token is the last word of the data.
    fallback() external {
        (int256 owed0, int256 owed1) = abi.decode(msg.data[4:68], (int256, int256));
        address token = abi.decode(msg.data[msg.data.length - 32:], (address));
        _pay(token, msg.sender, uint256(owed0 > 0 ? owed0 : owed1));
    }

    function _isPast(Market memory market, Search calldata search, uint256 limit) private pure returns (bool) {
        if (market.yielded == 0) return true;
        return (market.yielded < search.limits[limit]) != search.rises;
    }

    /// @dev Returns the factor for the next move, which may reach the last limit. Each further unit
    /// changes the yield less than earlier units did. So a move that extrapolates the change seldom
    /// goes far beyond the limit.
    function _step(uint256 present, uint256 yielded, Search calldata search) private pure returns (uint256 factor) {
        uint256 change = _distance(present, yielded);
        if (change == 0) return MAX_STEP;
        factor = _distance(present, search.limits[search.limits.length - 1]) / change;
        if (factor < 2) return 2;
        return factor < MAX_STEP ? factor : MAX_STEP;
    }

    function _distance(uint256 one, uint256 other) private pure returns (uint256) {
        return one < other ? other - one : one - other;
    }

    /// @dev Returns a move between the last market before a limit and the first market past it; 0 if they are near.
    function _between(Market[] memory tried, uint256 count, Search calldata search, uint256 limit)
        private
        pure
        returns (uint256 moved)
    {
        (uint256 near, uint256 far) = (0, type(uint256).max);
        for (uint256 i; i < count; ++i) {
            if (tried[i].moved < far && _isPast(tried[i], search, limit)) far = tried[i].moved;
        }
        for (uint256 i; i < count; ++i) {
            if (tried[i].moved > near && tried[i].moved < far) near = tried[i].moved;
        }
        if (far == type(uint256).max || (far - near) * PARTS < near * search.nearness) return 0;
        if (near == 0) return far / 2;
        moved = _root(near * far);
        if (moved == near) return 0;
    }

    function _root(uint256 square) private pure returns (uint256 root) {
        root = square;
        for (uint256 next = square / 2 + 1; next < root; next = (square / root + root) / 2) root = next;
    }

    function _callRouter(Plan calldata plan) private {
        (bool done, bytes memory reason) = plan.router.call{ value: plan.value }(plan.data);
        if (!done) revert SwapFailed(0, reason);
    }

    /// @dev Returns the yield of a plan after a move; 0 if the plan fails. `allowed` is the gas
    /// limit of each repetition of the plan.
    function _yieldAfter(Swap[] calldata moving, uint256 moved, Plan calldata plan, uint256 allowed)
        private
        returns (uint256 yielded)
    {
        (, bytes memory reason) = address(this).call{ gas: moving.length == 0 ? allowed * (moved + 1) : allowed }(
            abi.encodeCall(this.attempt, (moving, moved, plan))
        );
        if (bytes4(reason) != Yield.selector) return 0;
        uint256[] memory fees;
        assembly ("memory-safe") {
            let length := sub(mload(reason), 4)
            reason := add(reason, 4)
            mstore(reason, length)
        }
        (yielded, fees) = abi.decode(reason, (uint256, uint256[]));
        for (uint256 i; i < fees.length; ++i) {
            if (fees[i] != _fee[plan.swaps[i].pool]) _fee[plan.swaps[i].pool] = fees[i];
        }
    }

    function _trade(Swap[] calldata swaps, uint256 parts, Failures failures)
        private
        returns (Swapped[] memory done)
    {
        done = new Swapped[](swaps.length);
        uint256[] memory held = new uint256[](swaps.length);
        for (uint256 i; i < swaps.length; ++i) held[i] = _held(swaps[i].from, address(this));
        bool isMade;
        for (uint256 i; i < swaps.length; ++i) {
            Swap calldata step = swaps[i];
            uint256 amount = step.takesRest
                ? _held(step.from, address(this)) - held[i]
                : step.amount * parts / PARTS;
            try this.swapOne(step, amount) returns (Swapped memory one) {
                if (failures == Failures.RevertIfLess && one.sold < amount) revert NotTaken(i);
                if (amount > 0 && step.from != address(0)) isMade = true;
                done[i] = one;
            } catch (bytes memory reason) {
                if (failures == Failures.Skip) continue;
                if (bytes4(reason) == UnknownPool.selector) revert UnknownPool(i);
                revert SwapFailed(i, reason);
            }
        }
        if (failures == Failures.Skip && !isMade) revert NotMoved();
    }

    function _swapConcentrated(Swap calldata step, uint256 amount, uint256 root) private {
        bool isZeroForOne = step.from < step.to;
        uint256 limit = isZeroForOne ? root / REACH : root * REACH;
        if (limit < LOWEST_LIMIT) limit = LOWEST_LIMIT;
        if (limit > HIGHEST_LIMIT) limit = HIGHEST_LIMIT;
        IConcentratedPool(step.pool).swap(
            address(this), isZeroForOne, int256(amount), uint160(limit), abi.encode(step.from)
        );
    }

    /// @dev Returns the square root of a pool's price if the pool is like those of Uniswap V3 or Algebra; otherwise 0.
    function _rootPrice(address pool) private view returns (uint256) {
        (bool done, uint256 root,) = _readTwo(pool, abi.encodeWithSignature("slot0()"));
        if (!done) (done, root,) = _readTwo(pool, abi.encodeWithSignature("globalState()"));
        return done ? root : 0;
    }

    function _readTwo(address pool, bytes memory call) private view returns (bool, uint256, uint256) {
        (bool done, bytes memory returned) = pool.staticcall(call);
        if (!done || returned.length < 64) return (false, 0, 0);
        (uint256 first, uint256 second) = abi.decode(returned, (uint256, uint256));
        return (true, first, second);
    }

    function _swapPair(Swap calldata step, uint256 amount) private {
        (address pool, bool isZeroForOne) = (step.pool, step.from < step.to);
        (bool isPair, uint256 reserveIn, uint256 reserveOut) =
            _readTwo(pool, abi.encodeCall(IPair.getReserves, ()));
        if (!isPair) revert UnknownPool(0);
        if (!isZeroForOne) (reserveIn, reserveOut) = (reserveOut, reserveIn);
        // If the token takes a fee on transfers, the pool receives less.
        uint256 paid = IToken(step.from).balanceOf(pool);
        _pay(step.from, pool, amount);
        paid = IToken(step.from).balanceOf(pool) - paid;
        (bool done, bytes memory returned) =
            pool.staticcall(abi.encodeCall(IPair.getAmountOut, (paid, step.from)));
        if (done && returned.length == 32) {
            if (_give(pool, isZeroForOne, abi.decode(returned, (uint256)))) return;
        }
        uint256 known = _fee[pool];
        if (known > 0 && _give(pool, isZeroForOne, _out(paid, reserveIn, reserveOut, known - 1))) return;
        // A pair rejects outputs that its fee does not allow, so the smallest fee whose output it accepts is the
        // pair's fee.
        (uint256 low, uint256 high) = (0, FEES);
        while (low < high) {
            uint256 fee = (low + high) / 2;
            if (_accepts(pool, isZeroForOne, _out(paid, reserveIn, reserveOut, fee))) high = fee;
            else low = fee + 1;
        }
        uint256 out = low < FEES ? _out(paid, reserveIn, reserveOut, low) : 0;
        if (out > 0 && !_accepts(pool, isZeroForOne, out + 1)) _fee[pool] = low + 1;
        else out = _most(pool, isZeroForOne, out, low > 0 ? _out(paid, reserveIn, reserveOut, low - 1) : reserveOut);
        (uint256 out0, uint256 out1) = isZeroForOne ? (uint256(0), out) : (out, uint256(0));
        IPair(pool).swap(out0, out1, address(this), "");
    }

    /// @dev Returns the maximum output that a pair with an unknown fee or curve accepts, from `low`
    /// to below `high`.
    function _most(address pool, bool isZeroForOne, uint256 low, uint256 high) private returns (uint256) {
        while (high > low + 1) {
            uint256 out = low + (high - low) / 2;
            if (_accepts(pool, isZeroForOne, out)) low = out;
            else high = out;
        }
        return low > 0 ? low : 1;
    }

    /// @param fee In basis points
    function _out(uint256 paid, uint256 reserveIn, uint256 reserveOut, uint256 fee)
        private
        pure
        returns (uint256)
    {
        uint256 kept = paid * (ONE_BP - fee);
        return kept * reserveOut / (reserveIn * ONE_BP + kept);
    }

    function _accepts(address pool, bool isZeroForOne, uint256 out) private returns (bool) {
        (uint256 out0, uint256 out1) = isZeroForOne ? (uint256(0), out) : (out, uint256(0));
        (, bytes memory reason) = address(this).call(abi.encodeCall(this.probe, (pool, out0, out1)));
        return bytes4(reason) == Accepted.selector;
    }

    function _give(address pool, bool isZeroForOne, uint256 out) private returns (bool done) {
        (uint256 out0, uint256 out1) = isZeroForOne ? (uint256(0), out) : (out, uint256(0));
        (done,) = pool.call(abi.encodeCall(IPair.swap, (out0, out1, address(this), "")));
    }

    function _held(address token, address holder) private view returns (uint256) {
        return token == address(0) ? holder.balance : IToken(token).balanceOf(holder);
    }

    /// @dev Some tokens return nothing.
    function _pay(address token, address to, uint256 amount) private {
        (bool done, bytes memory returned) =
            token.call(abi.encodeWithSignature("transfer(address,uint256)", to, amount));
        if (!done || (returned.length > 0 && !abi.decode(returned, (bool)))) revert NotPaid(token);
    }
}
