// SPDX-License-Identifier: MIT
pragma solidity ^0.8.34;

import {Demand} from "./Demand.sol";
import {ConstantProduct, IConcentratedPool} from "./Pools.sol";
import {Hop, HopLibrary, Swap} from "./Program.sol";
import {IWrappedNative, Tokens} from "./Tokens.sol";

/// What the sender wants of a trade.
struct Order {
    /// Exact input: what is sold. Exact output: the most that may be sold.
    uint256 sellAmount;
    /// Exact input: the least that may be bought. Exact output: what is bought.
    uint256 buyAmount;
    /// Who receives what was bought; zero, the sender.
    address recipient;
    /// The last block timestamp at which the order holds.
    uint256 deadline;
    /// Whether to unwrap what was bought and pay it as native.
    bool unwrap;
}

/// @title Settles an acyclic plan of swaps over Uniswap V2 pairs and V3 pools
/// @notice Owns nothing and is owned by no one. Only the sender of a transaction ever pays,
/// in the first token of the plan alone, and never more than `order.sellAmount`.
/// @dev `tokens[0]` is sold and the last token is bought. Swaps come in topological order: every
/// swap into a token stands before every swap out of it. Pools are whatever addresses the sender
/// names: a pool that lies can take no more than the sender put in, and what is received is
/// measured at the receiver.
abstract contract GraphRouter {
    using Tokens for address;

    uint160 private constant LOWEST_SQRT_PRICE = 4295128740;
    uint160 private constant HIGHEST_SQRT_PRICE = 1461446703485210103287273052203988822378723970341;

    /// The wrapped native token.
    IWrappedNative public immutable wrappedNative;

    uint256 private transient _entered;
    /// Hash of the data given to the pool that is being called; zero when none may call back.
    bytes32 private transient _expectedCallback;
    uint256 private transient _sold;

    error Expired(uint256 deadline);
    error Reentered();
    error InvalidRecipient();
    error NotWrappedNative(address token);
    error WrongNativeAmount(uint256 value, uint256 sellAmount);
    error UnexpectedCallback(address caller);
    error NoCallback(address pool);
    error PartlyFilled(address pool);
    error NotAllSold(uint256 unsold);
    error TooMuchSold(uint256 needed, uint256 limit);
    error TooLittleBought(uint256 bought, uint256 limit);
    error NativeTransferFailed(address to);

    modifier settles(Order calldata order) {
        if (block.timestamp > order.deadline) revert Expired(order.deadline);
        if (order.recipient == address(this)) revert InvalidRecipient();
        if (_entered != 0) revert Reentered();
        _entered = 1;
        _;
        _entered = 0;
    }

    constructor(IWrappedNative wrappedNative_) {
        wrappedNative = wrappedNative_;
    }

    /// @notice Accepts native from the wrapped native token alone, when it unwraps.
    receive() external payable {
        if (msg.sender != address(wrappedNative)) revert UnexpectedCallback(msg.sender);
    }

    /// @notice Sells exactly `order.sellAmount`, for at least `order.buyAmount`.
    /// @dev With `msg.value` the sell side is native and must be worth exactly `order.sellAmount`.
    /// A share's numerator is the planned input of its swap, its denominator the planned input of
    /// this swap and all later ones that spend the same token. So the last one spends all that is
    /// left, and the splits keep their proportions when more or less came in than was planned.
    /// @param order What the sender wants
    /// @param tokens The sell token first, the buy token last
    /// @param swaps The plan, in topological order
    /// @return bought What the receiver got
    function sellExactly(Order calldata order, address[] calldata tokens, Swap[] calldata swaps)
        external
        payable
        settles(order)
        returns (uint256 bought)
    {
        address buyToken = tokens[tokens.length - 1];
        address receiver = _receiver(order, buyToken);
        address payer = _payer(tokens[0]);
        if (payer == address(this)) {
            if (msg.value != order.sellAmount) revert WrongNativeAmount(msg.value, order.sellAmount);
            wrappedNative.deposit{value: msg.value}();
        }
        uint256 held = order.unwrap ? 0 : buyToken.balanceOf(receiver);
        uint256 unsold = order.sellAmount;
        for (uint256 i; i < swaps.length; ++i) {
            Hop hop = swaps[i].hop;
            bool sells = hop.tokenIn() == 0;
            address tokenIn = tokens[hop.tokenIn()];
            uint256 amountIn;
            if (!hop.isPaidUpstream()) {
                amountIn = swaps[i].share.ofWhole(sells ? unsold : tokenIn.balanceOf(address(this)));
                if (sells) unsold -= amountIn;
            }
            uint256 target = hop.target();
            _sell(
                hop,
                tokenIn,
                tokenIn < tokens[hop.tokenOut()],
                amountIn,
                sells ? payer : address(this),
                target == HopLibrary.RECEIVER
                    ? receiver
                    : target == HopLibrary.ROUTER ? address(this) : swaps[target].hop.pool()
            );
        }
        if (unsold != 0) revert NotAllSold(unsold);
        bought = buyToken.balanceOf(receiver) - held;
        if (bought < order.buyAmount) revert TooLittleBought(bought, order.buyAmount);
        if (order.unwrap) _payNative(order, bought);
    }

    /// @notice Buys exactly `order.buyAmount`, for at most `order.sellAmount`.
    /// @dev With `msg.value` the sell side is native, and what is not needed of it is returned.
    /// The plan runs backwards: the last swap says what it needs, which the swaps before it must
    /// give, up to the sell token, and only then is anything paid. A share's numerator is the
    /// planned output of its swap, its denominator the planned output of this swap and all earlier
    /// ones that give the same token.
    /// @param order What the sender wants
    /// @param tokens The sell token first, the buy token last
    /// @param swaps The plan, in topological order
    /// @return sold What the sender paid
    function buyExactly(Order calldata order, address[] calldata tokens, Swap[] calldata swaps)
        external
        payable
        settles(order)
        returns (uint256 sold)
    {
        address buyToken = tokens[tokens.length - 1];
        address receiver = _receiver(order, buyToken);
        uint256 held = order.unwrap ? 0 : buyToken.balanceOf(receiver);
        _supply(Demand.create(_payer(tokens[0]), receiver, order.sellAmount, order.buyAmount, tokens, swaps));
        sold = _sold;
        uint256 bought = buyToken.balanceOf(receiver) - held;
        if (bought < order.buyAmount) revert TooLittleBought(bought, order.buyAmount);
        if (order.unwrap) _payNative(order, bought);
        if (msg.value > sold) _sendNative(msg.sender, msg.value - sold);
    }

    /// @notice Pays a concentrated pool for the swap it is in.
    /// @dev Accepted once, from the pool that is being called, with the very data it was given.
    /// @param amount0Delta What the pool is owed of its token0, if positive
    /// @param amount1Delta What the pool is owed of its token1, if positive
    /// @param data What the router gave to the pool
    function uniswapV3SwapCallback(int256 amount0Delta, int256 amount1Delta, bytes calldata data) external {
        if (keccak256(data) != _expectedCallback) revert UnexpectedCallback(msg.sender);
        _expectedCallback = 0;
        uint256 owed = uint256(amount0Delta > 0 ? amount0Delta : amount1Delta);
        if (data.length == 128) {
            (address pool, address token, address payer, uint256 amountIn) =
                abi.decode(data, (address, address, address, uint256));
            if (msg.sender != pool) revert UnexpectedCallback(msg.sender);
            if (owed != amountIn) revert PartlyFilled(pool);
            _pay(token, payer, pool, owed);
        } else {
            uint256[] memory demand = Demand.decode(data);
            Hop hop = Demand.current(demand).hop;
            if (msg.sender != hop.pool()) revert UnexpectedCallback(msg.sender);
            _payAfterSupply(demand, hop, owed);
        }
    }

    /// Takes `amount` of `token` from the sender of the transaction straight to a pool.
    function _pull(address token, address payer, address to, uint256 amount) internal virtual;

    /// Sells `amountIn`, or what the pair was given already, through one pool.
    function _sell(Hop hop, address tokenIn, bool zeroForOne, uint256 amountIn, address payer, address to) private {
        address pool = hop.pool();
        if (hop.isConcentrated()) {
            bytes memory data = abi.encode(pool, tokenIn, payer, amountIn);
            _swapConcentrated(pool, to, zeroForOne, int256(amountIn), data);
        } else {
            if (!hop.isPaidUpstream()) _pay(tokenIn, payer, pool, amountIn);
            uint256 amountOut = ConstantProduct.outputForExcess(pool, tokenIn, zeroForOne, hop.feePips());
            ConstantProduct.give(pool, amountOut, zeroForOne, to);
        }
    }

    /// Satisfies the demand: the last swap that is left gives its share, once all before it have.
    function _supply(uint256[] memory demand) private {
        if (Demand.isAtSellToken(demand)) {
            (address payer, uint256 needed, uint256 limit) = Demand.sale(demand);
            if (needed > limit) revert TooMuchSold(needed, limit);
            _sold = needed;
            if (payer == address(this)) wrappedNative.deposit{value: needed}();
            return;
        }
        Demand.step(demand);
        Swap memory swap = Demand.current(demand);
        Hop hop = swap.hop;
        address pool = hop.pool();
        uint256 amountOut = Demand.take(demand, hop.tokenOut(), swap.share);
        bool zeroForOne = Demand.token(demand, hop.tokenIn()) < Demand.token(demand, hop.tokenOut());
        address to = Demand.target(demand, hop);
        if (hop.isConcentrated()) {
            (int256 amount0, int256 amount1) =
                _swapConcentrated(pool, to, zeroForOne, -int256(amountOut), Demand.encode(demand));
            if (uint256(-(zeroForOne ? amount1 : amount0)) != amountOut) revert PartlyFilled(pool);
        } else {
            _payAfterSupply(demand, hop, ConstantProduct.inputFor(pool, amountOut, zeroForOne, hop.feePips()));
            ConstantProduct.give(pool, amountOut, zeroForOne, to);
        }
    }

    /// Has the swaps upstream give what `hop` needs, and pays it to its pool.
    function _payAfterSupply(uint256[] memory demand, Hop hop, uint256 needed) private {
        uint256 tokenIn = hop.tokenIn();
        Demand.add(demand, tokenIn, needed);
        _supply(demand);
        if (!hop.isPaidUpstream()) {
            address payer = tokenIn == 0 ? Demand.payer(demand) : address(this);
            _pay(Demand.token(demand, tokenIn), payer, hop.pool(), needed);
        }
    }

    function _swapConcentrated(address pool, address to, bool zeroForOne, int256 amount, bytes memory data)
        private
        returns (int256 amount0, int256 amount1)
    {
        _expectedCallback = keccak256(data);
        (amount0, amount1) = IConcentratedPool(pool).swap(
            to, zeroForOne, amount, zeroForOne ? LOWEST_SQRT_PRICE : HIGHEST_SQRT_PRICE, data
        );
        if (_expectedCallback != 0) revert NoCallback(pool);
    }

    /// Who pays for what is sold: the sender, or with native the router, which wraps it.
    function _payer(address sellToken) private view returns (address) {
        if (msg.value == 0) return msg.sender;
        if (sellToken != address(wrappedNative)) revert NotWrappedNative(sellToken);
        return address(this);
    }

    /// Who receives what the swaps give: the recipient, or to unwrap it the router.
    function _receiver(Order calldata order, address buyToken) private view returns (address) {
        if (!order.unwrap) return _recipient(order);
        if (buyToken != address(wrappedNative)) revert NotWrappedNative(buyToken);
        return address(this);
    }

    function _recipient(Order calldata order) private view returns (address) {
        return order.recipient == address(0) ? msg.sender : order.recipient;
    }

    function _pay(address token, address payer, address to, uint256 amount) private {
        if (payer == address(this)) token.send(to, amount);
        else _pull(token, payer, to, amount);
    }

    function _payNative(Order calldata order, uint256 amount) private {
        wrappedNative.withdraw(amount);
        _sendNative(_recipient(order), amount);
    }

    function _sendNative(address to, uint256 amount) private {
        (bool done,) = to.call{value: amount}("");
        if (!done) revert NativeTransferFailed(to);
    }
}
