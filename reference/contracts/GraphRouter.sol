// SPDX-License-Identifier: MIT
pragma solidity ^0.8.34;

import {Demand} from "./Demand.sol";
import {ConstantProduct, IConcentratedPool} from "./Pools.sol";
import {Hop, HopLibrary, ProgramLibrary, Swap} from "./Program.sol";
import {Quotes} from "./Quotes.sol";
import {IPoolManager, Singletons} from "./Singleton.sol";
import {IWrappedNative, Tokens} from "./Tokens.sol";
import {IVault, VaultSwaps} from "./Vault.sol";

/// Terms of a trade.
struct Order {
    /// Exact input: amount sold. Exact output: maximum sold.
    uint256 sellAmount;
    /// Exact input: minimum bought. Exact output: amount bought.
    uint256 buyAmount;
    /// Recipient of the buy token; zero for the sender.
    address recipient;
    /// Last block timestamp at which the order is valid.
    uint256 deadline;
    /// True to unwrap the buy token and pay it as the native token.
    bool unwrap;
}

/// @title Settles acyclic plans through Uniswap V2 pairs, V3 and V4 pools, and pools of Balancer V2's Vault
/// @notice Has no balance and no owner. Only the sender of a transaction ever pays, only in the
/// first token of the plan, and never more than `order.sellAmount`.
/// @dev `tokens[0]` is sold and the last token is bought. Swaps are in topological order: every swap
/// into a token precedes every swap out of it. The sender may name any addresses as pools. A dishonest
/// pool can take no more than the sender's limit: the router counts every payment by the sender when it
/// is made, and measures the output at the recipient. A recipient must not be a market maker with open
/// orders: if a pool filled such an order during the trade, the pool's payment would count as output.
abstract contract GraphRouter {
    using Tokens for address;
    using VaultSwaps for IVault;
    using Singletons for IPoolManager;

    uint160 private constant LOWEST_SQRT_PRICE = 4295128740;
    uint160 private constant HIGHEST_SQRT_PRICE = 1461446703485210103287273052203988822378723970341;

    /// The wrapped native token.
    IWrappedNative public immutable wrappedNative;
    /// Balancer V2's Vault; zero if the chain has none.
    IVault public immutable vault;
    /// Uniswap V4's PoolManager; zero if the chain has none.
    IPoolManager public immutable poolManager;

    /// Set in `_calling` during a swap with exact input.
    uint256 private constant SELLING = 1 << 168;

    /// Payer of the sell token: the sender, or the router after it wrapped the native token.
    /// Zero if no trade is in progress.
    address private transient _payer;
    /// Hash of the data with which the manager must call back; zero if no callback is expected.
    bytes32 private transient _unlocking;
    /// True while the router has the manager's lock open.
    bool private transient _isUnlocked;
    /// First token of the plan, the only token that the payer ever pays.
    address private transient _sellToken;
    /// Amount of the sell token that may still be taken from the payer.
    uint256 private transient _unsold;
    /// Recipient of the swaps' output of the buy token.
    address private transient _receiver;
    /// Pool that may call back, in 160 bits, and the index of its swap; zero if no pool may.
    uint256 private transient _calling;
    /// With exact input, the token and the amount owed to the pool that is being called. The token
    /// is left unset if it is the sell token.
    uint256 private transient _owedToken;
    uint256 private transient _owedAmount;

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

    modifier settles(Order calldata order, address[] calldata tokens, Swap[] calldata swaps, bool sells) {
        if (block.timestamp > order.deadline) revert Expired(order.deadline);
        if (order.recipient == address(this)) revert InvalidRecipient();
        if (_payer != address(0)) revert Reentered();
        ProgramLibrary.check(tokens.length, swaps, sells);
        address sellToken = tokens[0];
        address buyToken = tokens[tokens.length - 1];
        if (msg.value > 0 && sellToken != address(wrappedNative)) revert NotWrappedNative(sellToken);
        if (order.unwrap && buyToken != address(wrappedNative)) revert NotWrappedNative(buyToken);
        _payer = msg.value > 0 ? address(this) : msg.sender;
        _sellToken = sellToken;
        _unsold = order.sellAmount;
        _receiver = order.unwrap ? address(this) : _recipient(order);
        _;
        _payer = address(0);
    }

    constructor(IWrappedNative wrappedNative_, IVault vault_, IPoolManager poolManager_) {
        wrappedNative = wrappedNative_;
        vault = vault_;
        poolManager = poolManager_;
    }

    /// @notice Accepts native tokens from the wrapped native token, and from the manager while its lock is open.
    receive() external payable {
        if (msg.sender == address(wrappedNative)) return;
        if (msg.sender != address(poolManager) || !_isUnlocked) revert UnexpectedCallback(msg.sender);
    }

    /// @notice Sells exactly `order.sellAmount`, for at least `order.buyAmount`.
    /// @dev With `msg.value`, the native token is sold, and the value must be exactly `order.sellAmount`.
    /// A share's numerator is the planned input of its swap. Its denominator is the planned input of
    /// this swap and all later swaps that sell the same token. So the last swap sells everything that
    /// is left, and splits retain their proportions if more or less arrives than planned.
    /// @param order Terms of the trade
    /// @param tokens The sell token first, the buy token last
    /// @param swaps The plan, in topological order
    /// @return bought Amount that the recipient received
    function sellExactly(Order calldata order, address[] calldata tokens, Swap[] calldata swaps)
        external
        payable
        returns (uint256 bought)
    {
        return _sellExactly(order, tokens, swaps);
    }

    /// @notice Buys exactly `order.buyAmount`, for at most `order.sellAmount`.
    /// @dev With `msg.value`, the router sells the native token, and returns the part that it does not
    /// need. The plan runs backward: the last swap determines its input, which earlier swaps must
    /// provide, and so on until the sell token. Only then is anything paid. A share's numerator is the
    /// planned output of its swap. Its denominator is the planned output of this swap and all earlier
    /// swaps that buy the same token.
    /// @param order Terms of the trade
    /// @param tokens The sell token first, the buy token last
    /// @param swaps The plan, in topological order
    /// @return sold Amount that the sender paid
    function buyExactly(Order calldata order, address[] calldata tokens, Swap[] calldata swaps)
        external
        payable
        returns (uint256 sold)
    {
        return _buyExactly(order, tokens, swaps);
    }

    /// @notice Sells like `sellExactly`, with signed orders of market makers.
    /// @param order Terms of the trade
    /// @param tokens The sell token first, the buy token last
    /// @param swaps The plan, in topological order
    /// @param quotes Data for the pools, numbered from 1
    /// @return bought Amount that the recipient received
    function sellWithQuotes(
        Order calldata order,
        address[] calldata tokens,
        Swap[] calldata swaps,
        bytes[] calldata quotes
    ) external payable returns (uint256 bought) {
        Quotes.keep(quotes);
        return _sellExactly(order, tokens, swaps);
    }

    /// @notice Buys like `buyExactly`, with signed orders of market makers.
    /// @param order Terms of the trade
    /// @param tokens The sell token first, the buy token last
    /// @param swaps The plan, in topological order
    /// @param quotes Data for the pools, numbered from 1
    /// @return sold Amount that the sender paid
    function buyWithQuotes(
        Order calldata order,
        address[] calldata tokens,
        Swap[] calldata swaps,
        bytes[] calldata quotes
    ) external payable returns (uint256 sold) {
        Quotes.keep(quotes);
        return _buyExactly(order, tokens, swaps);
    }

    /// @notice Pays a concentrated pool for the swap in progress.
    /// @dev Accepted once, from the pool that is being called. The payer was fixed before the call.
    /// With exact input, so was the amount. With exact output, the limit on the amount sold bounds the
    /// amount.
    /// @param amount0Delta Amount of token0 owed to the pool, if positive
    /// @param amount1Delta Amount of token1 owed to the pool, if positive
    function uniswapV3SwapCallback(int256 amount0Delta, int256 amount1Delta, bytes calldata) external {
        uint256 calling = _calling;
        if (msg.sender != address(uint160(calling))) revert UnexpectedCallback(msg.sender);
        _calling = 0;
        uint256 owed = uint256(amount0Delta > 0 ? amount0Delta : amount1Delta);
        if (calling & SELLING != 0) {
            if (owed != _owedAmount) revert PartlyFilled(msg.sender);
            if (uint8(calling >> 160) == 0) _paySold(msg.sender, owed);
            else address(uint160(_owedToken)).send(msg.sender, owed);
        } else {
            uint256 index = calling >> 160;
            _payAfterSupply(index, Demand.hop(index), owed, msg.sender);
        }
    }

    /// @notice Trades while the manager's lock is open.
    /// @dev Accepted once each time the router opens the lock, and only with the router's data.
    /// @param data Arguments of `_sellSingleton`, or of `_buySingleton`, which are shorter
    function unlockCallback(bytes calldata data) external returns (bytes memory) {
        if (msg.sender != address(poolManager) || keccak256(data) != _unlocking) {
            revert UnexpectedCallback(msg.sender);
        }
        _unlocking = 0;
        _isUnlocked = true;
        if (data.length == 96) {
            (uint256 index, uint256 amountOut, address to) = abi.decode(data, (uint256, uint256, address));
            _buySingleton(index, amountOut, to);
        } else {
            (Hop hop, address tokenIn, address tokenOut, uint256 amountIn, address to) =
                abi.decode(data, (Hop, address, address, uint256, address));
            _sellSingleton(hop, tokenIn, tokenOut, amountIn, to);
        }
        _isUnlocked = false;
        return "";
    }

    /// Moves `amount` of `token` from the sender of the transaction directly to a pool.
    function _pull(address token, address payer, address to, uint256 amount) internal virtual;

    function _sellExactly(Order calldata order, address[] calldata tokens, Swap[] calldata swaps)
        private
        settles(order, tokens, swaps, true)
        returns (uint256 bought)
    {
        if (msg.value > 0) {
            if (msg.value != order.sellAmount) revert WrongNativeAmount(msg.value, order.sellAmount);
            wrappedNative.deposit{value: msg.value}();
        }
        uint256 held = _heldByReceiver(order, tokens[tokens.length - 1]);
        for (uint256 i; i < swaps.length; ++i) {
            Hop hop = swaps[i].hop;
            address tokenIn = tokens[hop.tokenIn()];
            uint256 amountIn;
            if (hop.tokenIn() == 0) {
                amountIn = swaps[i].share.ofWhole(_unsold);
            } else if (!hop.isPaidUpstream()) {
                amountIn = swaps[i].share.ofWhole(tokenIn.balanceOf(address(this)));
            }
            uint256 target = hop.target();
            address to = target < HopLibrary.ROUTER ? swaps[target].hop.pool() : _end(target);
            if (!hop.isPaidByRouter()) {
                _sell(hop, tokenIn, amountIn, to);
            } else if (hop.isOfVault()) {
                if (hop.tokenIn() == 0) _paySold(address(this), amountIn);
                vault.sell(hop.pool(), tokenIn, tokens[hop.tokenOut()], amountIn, to);
            } else {
                _unlock(abi.encode(hop, tokenIn, tokens[hop.tokenOut()], amountIn, to));
            }
        }
        if (_unsold != 0) revert NotAllSold(_unsold);
        bought = _payOut(order, tokens[tokens.length - 1], held);
    }

    function _buyExactly(Order calldata order, address[] calldata tokens, Swap[] calldata swaps)
        private
        settles(order, tokens, swaps, false)
        returns (uint256 sold)
    {
        uint256 held = _heldByReceiver(order, tokens[tokens.length - 1]);
        Demand.start(tokens, swaps, order.buyAmount);
        _supply(swaps.length);
        sold = order.sellAmount - _unsold;
        _payOut(order, tokens[tokens.length - 1], held);
        if (msg.value > sold) _sendNative(msg.sender, msg.value - sold);
    }

    /// Sells `amountIn`, or the amount that the pair has already received, through one pool.
    function _sell(Hop hop, address tokenIn, uint256 amountIn, address to) private {
        address pool = hop.pool();
        bool zeroForOne = hop.isZeroForOne();
        if (hop.isConcentrated()) {
            if (hop.tokenIn() != 0) _owedToken = uint160(tokenIn);
            _owedAmount = amountIn;
            _swapConcentrated(hop, to, int256(amountIn), SELLING | hop.tokenIn() << 160);
        } else {
            if (hop.tokenIn() == 0) _paySold(pool, amountIn);
            else if (!hop.isPaidUpstream()) tokenIn.send(pool, amountIn);
            uint256 amountOut = ConstantProduct.outputForExcess(pool, tokenIn, zeroForOne, hop.feePips());
            ConstantProduct.give(pool, amountOut, zeroForOne, to);
        }
    }

    /// Satisfies the demand with the first `count` swaps. The last of these swaps provides its share
    /// after the earlier swaps have provided its input.
    function _supply(uint256 count) private {
        if (count == 0) {
            uint256 needed = Demand.amount(0);
            if (needed > _unsold) revert TooMuchSold(needed, _unsold);
            if (_payer == address(this)) wrappedNative.deposit{value: needed}();
            return;
        }
        uint256 index = count - 1;
        Hop hop = Demand.hop(index);
        address pool = hop.pool();
        bool zeroForOne = hop.isZeroForOne();
        uint256 amountOut = Demand.take(hop.tokenOut(), Demand.share(index));
        uint256 target = hop.target();
        address to = target < HopLibrary.ROUTER ? Demand.hop(target).pool() : _end(target);
        if (hop.isConcentrated()) {
            (int256 amount0, int256 amount1) =
                _swapConcentrated(hop, to, -int256(amountOut), index << 160);
            if (uint256(-(zeroForOne ? amount1 : amount0)) != amountOut) revert PartlyFilled(pool);
        } else if (hop.isOfVault()) {
            address tokenIn = Demand.token(hop.tokenIn());
            address tokenOut = Demand.token(hop.tokenOut());
            uint256 needed = vault.inputFor(pool, tokenIn, tokenOut, amountOut);
            _payAfterSupply(index, hop, needed, address(this));
            vault.buy(pool, tokenIn, tokenOut, amountOut, needed, to);
        } else if (hop.isOfManager()) {
            if (_isUnlocked) _buySingleton(index, amountOut, to);
            else _unlock(abi.encode(index, amountOut, to));
        } else {
            uint256 needed = ConstantProduct.inputFor(pool, amountOut, zeroForOne, hop.feePips());
            _payAfterSupply(index, hop, needed, pool);
            ConstantProduct.give(pool, amountOut, zeroForOne, to);
        }
    }

    /// Runs the swaps that provide a swap's input, then pays the input to the pool, or to the router for the Vault.
    function _payAfterSupply(uint256 index, Hop hop, uint256 needed, address payee) private {
        uint256 tokenIn = hop.tokenIn();
        Demand.add(tokenIn, needed);
        _supply(index);
        if (tokenIn == 0) _paySold(payee, needed);
        else if (payee != address(this) && !hop.isPaidUpstream()) Demand.token(tokenIn).send(payee, needed);
    }

    function _unlock(bytes memory data) private {
        _unlocking = keccak256(data);
        poolManager.unlock(data);
        if (_unlocking != 0) revert NoCallback(address(poolManager));
    }

    /// Sells through a pool of the manager while its lock is open.
    function _sellSingleton(Hop hop, address tokenIn, address tokenOut, uint256 amountIn, address to) private {
        (uint256 owed, uint256 bought) = poolManager.trade(
            hop, _currencyOf(hop, tokenIn), _currencyOf(hop, tokenOut), -int256(amountIn)
        );
        if (owed != amountIn) revert PartlyFilled(address(poolManager));
        _paySingleton(hop, tokenIn, owed);
        _takeSingleton(hop, tokenOut, bought, to);
    }

    /// Buys through a pool of the manager while its lock is open. The input is supplied during the lock.
    function _buySingleton(uint256 index, uint256 amountOut, address to) private {
        Hop hop = Demand.hop(index);
        address tokenIn = Demand.token(hop.tokenIn());
        address tokenOut = Demand.token(hop.tokenOut());
        (uint256 owed, uint256 bought) = poolManager.trade(
            hop, _currencyOf(hop, tokenIn), _currencyOf(hop, tokenOut), int256(amountOut)
        );
        if (bought != amountOut) revert PartlyFilled(address(poolManager));
        Demand.add(hop.tokenIn(), owed);
        _supply(index);
        _paySingleton(hop, tokenIn, owed);
        _takeSingleton(hop, tokenOut, bought, to);
    }

    /// Pays the manager, in the native token if the pool trades the native token.
    function _paySingleton(Hop hop, address tokenIn, uint256 amount) private {
        address currency = _currencyOf(hop, tokenIn);
        poolManager.sync(currency);
        if (currency == address(0)) {
            if (hop.tokenIn() == 0) _paySold(address(this), amount);
            wrappedNative.withdraw(amount);
            poolManager.settle{value: amount}();
        } else {
            if (hop.tokenIn() == 0) _paySold(address(poolManager), amount);
            else tokenIn.send(address(poolManager), amount);
            poolManager.settle();
        }
    }

    /// Takes the output from the manager, and wraps the output if the pool trades the native token.
    function _takeSingleton(Hop hop, address tokenOut, uint256 amount, address to) private {
        if (_currencyOf(hop, tokenOut) == address(0)) {
            poolManager.take(address(0), address(this), amount);
            wrappedNative.deposit{value: amount}();
            if (to != address(this)) tokenOut.send(to, amount);
        } else {
            poolManager.take(tokenOut, to, amount);
        }
    }

    /// Returns the currency of a token in the manager.
    function _currencyOf(Hop hop, address token) private view returns (address) {
        return hop.isNative() && token == address(wrappedNative) ? address(0) : token;
    }

    function _swapConcentrated(Hop hop, address to, int256 amount, uint256 context)
        private
        returns (int256 amount0, int256 amount1)
    {
        address pool = hop.pool();
        bool zeroForOne = hop.isZeroForOne();
        uint160 limit = zeroForOne ? LOWEST_SQRT_PRICE : HIGHEST_SQRT_PRICE;
        uint256 quote = hop.quote();
        _calling = context | uint160(pool);
        (amount0, amount1) = quote == 0
            ? IConcentratedPool(pool).swap(to, zeroForOne, amount, limit, "")
            : IConcentratedPool(pool).swap(to, zeroForOne, amount, limit, Quotes.get(quote));
        if (_calling != 0) revert NoCallback(pool);
    }

    function _recipient(Order calldata order) private view returns (address) {
        return order.recipient == address(0) ? msg.sender : order.recipient;
    }

    /// Returns the recipient of an output that is not paid into a pool.
    function _end(uint256 target) private view returns (address) {
        return target == HopLibrary.RECEIVER ? _receiver : address(this);
    }

    /// Returns the recipient's balance before the trade; zero if the router unwraps its whole balance.
    function _heldByReceiver(Order calldata order, address buyToken) private view returns (uint256) {
        return order.unwrap ? 0 : buyToken.balanceOf(_receiver);
    }

    /// Checks the amount bought. If the native token is bought, unwraps the amount and pays the recipient.
    function _payOut(Order calldata order, address buyToken, uint256 held) private returns (uint256 bought) {
        bought = buyToken.balanceOf(_receiver) - held;
        if (bought < order.buyAmount) revert TooLittleBought(bought, order.buyAmount);
        if (order.unwrap) {
            wrappedNative.withdraw(bought);
            _sendNative(_recipient(order), bought);
        }
    }

    /// Pays the sell token from the payer to a pool, and counts the payment against the limit.
    function _paySold(address to, uint256 amount) private {
        uint256 unsold = _unsold;
        if (amount > unsold) revert TooMuchSold(amount, unsold);
        _unsold = unsold - amount;
        address payer = _payer;
        if (payer == to) return; // wrapped native tokens that the router holds
        if (payer == address(this)) _sellToken.send(to, amount);
        else _pull(_sellToken, payer, to, amount);
    }

    function _sendNative(address to, uint256 amount) private {
        (bool done,) = to.call{value: amount}("");
        if (!done) revert NativeTransferFailed(to);
    }
}
