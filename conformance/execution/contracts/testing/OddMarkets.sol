// SPDX-License-Identifier: MIT
pragma solidity ^0.8.34;

import { NoReturnToken, PlainToken } from "./OddTokens.sol";

/// Approves a nonzero amount only if nothing is approved: an old approval must be revoked first.
contract ZeroFirstToken is NoReturnToken {
    error NotZeroFirst();

    function approve(address spender, uint256 amount) public override {
        if (amount > 0 && allowance[msg.sender][spender] > 0) revert NotZeroFirst();
        super.approve(spender, amount);
    }
}

/// Shares of a vault, each worth 5/4 units. Payments mint shares, and withdrawals burn them.
contract ShareToken is PlainToken {
    PlainToken public immutable asset;

    constructor(PlainToken of_) {
        asset = of_;
    }

    function deposit(uint256 assets, address to) external {
        asset.transferFrom(msg.sender, address(this), assets);
        uint256 shares = assets * 4 / 5;
        _held[to] += shares;
        emit Transfer(address(0), to, shares);
    }

    function redeem(uint256 shares, address to) external {
        _held[msg.sender] -= shares;
        emit Transfer(msg.sender, address(0), shares);
        asset.transfer(to, shares * 5 / 4);
    }
}

/// Sells its balances at par.
contract ParPool {
    function swap(PlainToken sell, uint256 amount, address buy, address to) external virtual {
        _take(sell, amount);
        _give(buy, to, amount);
    }

    function _take(PlainToken sell, uint256 amount) internal virtual {
        (bool done,) = address(sell).call(
            abi.encodeCall(PlainToken.transferFrom, (msg.sender, address(this), amount))
        );
        require(done);
    }

    function _give(address token, address to, uint256 amount) internal virtual {
        (bool done,) = token.call(abi.encodeCall(PlainToken.transfer, (to, amount)));
        require(done);
    }

    receive() external payable {}
}

/// Holds no balance: lends its income to another contract, and recalls the amounts that it pays
/// out.
contract LendingPool is ParPool {
    Bank public immutable bank = new Bank();

    function _take(PlainToken sell, uint256 amount) internal override {
        super._take(sell, amount);
        super._give(address(sell), address(bank), amount);
    }

    function _give(address token, address to, uint256 amount) internal override {
        bank.withdraw(token, amount);
        super._give(token, to, amount);
    }
}

contract Bank {
    function withdraw(address token, uint256 amount) external {
        (bool done,) = token.call(abi.encodeCall(PlainToken.transfer, (msg.sender, amount)));
        require(done);
    }
}

/// Pays 0.1 % of its income to a treasury.
contract TreasuryPool is ParPool {
    function _take(PlainToken sell, uint256 amount) internal override {
        super._take(sell, amount);
        super._give(address(sell), address(0x7ea5), amount / 1000);
    }
}

/// Burns 0.1 % of its income, and pays its keeper 0.1 % of the output in addition.
contract KeeperPool is ParPool {
    function _take(PlainToken sell, uint256 amount) internal override {
        super._take(sell, amount);
        super._give(address(sell), address(0xdead), amount / 1000);
    }

    function _give(address token, address to, uint256 amount) internal override {
        super._give(token, to, amount);
        super._give(token, address(0x7ea6), amount / 1000);
    }
}

/// Exchanges any token for shares at par, and shares for tokens. The shares are a separate
/// contract.
contract SharePool is ParPool {
    PoolShares public immutable shares = new PoolShares();

    function join(PlainToken sell, uint256 amount, address to) external {
        _take(sell, amount);
        shares.mint(to, amount);
    }

    function exit(address buy, uint256 amount, address to) external {
        shares.burn(msg.sender, amount);
        _give(buy, to, amount);
    }
}

contract PoolShares is PlainToken {
    address private immutable _pool = msg.sender;

    function mint(address to, uint256 amount) external {
        require(msg.sender == _pool);
        _held[to] += amount;
        emit Transfer(address(0), to, amount);
    }

    function burn(address from, uint256 amount) external {
        require(msg.sender == _pool);
        _held[from] -= amount;
        emit Transfer(from, address(0), amount);
    }
}

interface IPayer {
    function pay(address token, uint256 amount) external;
}

/// Pays first, then calls the buyer back to be paid.
contract FlashPool is ParPool {
    function flash(PlainToken sell, uint256 amount, address buy, address to) external {
        uint256 held = sell.balanceOf(address(this));
        _give(buy, to, amount);
        IPayer(msg.sender).pay(address(sell), amount);
        require(sell.balanceOf(address(this)) >= held + amount);
    }
}

/// A pair like those of Uniswap V2, at any fee in basis points.
contract FeePair {
    PlainToken private immutable _token0;
    PlainToken private immutable _token1;
    uint256 private immutable _kept;
    uint112 private _reserve0;
    uint112 private _reserve1;

    constructor(PlainToken one, PlainToken other, uint256 feeBp) {
        (_token0, _token1) = address(one) < address(other) ? (one, other) : (other, one);
        _kept = feeBp;
    }

    function getReserves() external view returns (uint112, uint112, uint32) {
        return (_reserve0, _reserve1, 0);
    }

    function sync() public {
        _reserve0 = uint112(_token0.balanceOf(address(this)));
        _reserve1 = uint112(_token1.balanceOf(address(this)));
    }

    function swap(uint256 out0, uint256 out1, address to, bytes calldata) external {
        require(out0 > 0 || out1 > 0, "no output");
        if (out0 > 0) _token0.transfer(to, out0);
        if (out1 > 0) _token1.transfer(to, out1);
        (uint256 held0, uint256 held1) = (_token0.balanceOf(address(this)), _token1.balanceOf(address(this)));
        uint256 fee0 = (held0 + out0 - _reserve0) * _kept;
        uint256 fee1 = (held1 + out1 - _reserve1) * _kept;
        uint256 product = uint256(_reserve0) * _reserve1 * 1e8;
        require((held0 * 1e4 - fee0) * (held1 * 1e4 - fee1) >= product, "K");
        sync();
    }

    /// Pays out the maximum that the received amount buys.
    function sell(PlainToken from, address to) external {
        bool isZero = address(from) == address(_token0);
        (uint256 reserve, uint256 other) = isZero ? (_reserve0, _reserve1) : (_reserve1, _reserve0);
        uint256 kept = (from.balanceOf(address(this)) - reserve) * (1e4 - _kept);
        (isZero ? _token1 : _token0).transfer(to, kept * other / (uint256(reserve) * 1e4 + kept));
        sync();
    }
}

/// Makes payments of its own through a pair whenever anybody else transfers it.
abstract contract PairedToken is PlainToken {
    uint256 internal constant UNITS = 1000;
    FeePair internal _pair;
    PlainToken internal _other;
    bool private _isPaying;

    function pairWith(FeePair pair, PlainToken other) external {
        (_pair, _other) = (pair, other);
        super._move(msg.sender, address(this), 1e20);
    }

    function _move(address from, address to, uint256 amount) internal override {
        bool isTrade = from == address(_pair) || to == address(_pair);
        if (address(_pair) != address(0) && !isTrade && !_isPaying) {
            _isPaying = true;
            _pay();
            _isPaying = false;
        }
        super._move(from, to, amount);
    }

    function _pay() internal virtual;

    function _sellFor(address to) internal {
        super._move(address(this), address(_pair), UNITS);
        _pair.sell(this, to);
    }
}

/// Sells its own fees for its treasury.
contract SellingToken is PairedToken {
    function _pay() internal override {
        _sellFor(address(0x7ea8));
    }
}

/// Sells its own fees, and adds the proceeds to the pair as liquidity.
contract LiquidityToken is PairedToken {
    function _pay() internal override {
        _sellFor(address(this));
        _other.transfer(address(_pair), _other.balanceOf(address(this)));
        _move(address(this), address(_pair), UNITS);
        _pair.sync();
    }
}

/// Burns tokens in the pair.
contract BurningToken is PairedToken {
    function _pay() internal override {
        _move(address(_pair), address(0xdead), UNITS);
        _pair.sync();
    }
}

/// Fills orders of makers: the maker receives the sold token and pays for it.
contract OrderBook {
    function fill(PlainToken sell, PlainToken buy, uint256 amount, address maker, address to) external {
        sell.transferFrom(msg.sender, maker, amount);
        buy.transferFrom(maker, to, amount);
    }
}

/// Buys and sells the native token at par.
contract NativePool {
    function buyNative(PlainToken sell, uint256 amount, address payable to) external {
        sell.transferFrom(msg.sender, address(this), amount);
        (bool done,) = to.call{ value: amount }("");
        require(done);
    }

    function sellNative(PlainToken buy, address to) external payable {
        buy.transfer(to, msg.value);
    }

    receive() external payable {}
}

contract WrappedToken is PlainToken {
    event Deposit(address indexed dst, uint256 wad);
    event Withdrawal(address indexed src, uint256 wad);

    receive() external payable {
        deposit();
    }

    function deposit() public payable {
        _held[msg.sender] += msg.value;
        emit Deposit(msg.sender, msg.value);
    }

    function withdraw(uint256 amount) external {
        _held[msg.sender] -= amount;
        (bool done,) = msg.sender.call{ value: amount }("");
        require(done);
        emit Withdrawal(msg.sender, amount);
    }
}

struct Step {
    address target;
    uint256 value;
    bytes data;
}

/// Spender that users approve.
contract Puller {
    address public immutable owner = msg.sender;

    function pull(address token, address from, address to, uint256 amount) external {
        (bool done,) = token.call(abi.encodeCall(PlainToken.transferFrom, (from, to, amount)));
        require(done);
    }
}

/// Makes the swaps of a plan, at any target contract. May keep one unit of each token.
contract PlanExecutor {
    function run(Step[] calldata steps) external {
        for (uint256 i = 0; i < steps.length; i++) {
            (bool done,) = steps[i].target.call{ value: steps[i].value }(steps[i].data);
            require(done, "step");
        }
    }

    function pay(address token, uint256 amount) external {
        (bool done,) = token.call(abi.encodeCall(PlainToken.transfer, (msg.sender, amount)));
        require(done);
    }

    function refund(address to) external {
        (bool done,) = to.call{ value: address(this).balance }("");
        require(done);
    }

    receive() external payable {}
}

/// Moves the sold token to an executor, which makes the swaps, and pays out the proceeds.
contract AggregationRouter {
    PlanExecutor public immutable executor = new PlanExecutor();
    Puller public immutable puller = new Puller();

    function swap(address sell, uint256 amount, address pay, address to, uint256 least, Step[] calldata steps)
        external
        payable
    {
        _swap(_payer(), sell, amount, pay, to, least, steps);
    }

    function _swap(
        address payer,
        address sell,
        uint256 amount,
        address pay,
        address to,
        uint256 least,
        Step[] calldata steps
    ) internal {
        if (sell != address(0)) puller.pull(sell, payer, address(executor), amount);
        else {
            (bool done,) = address(executor).call{ value: msg.value }("");
            require(done);
        }
        address receiver = to == address(0) ? msg.sender : to;
        uint256 before = _held(pay, receiver);
        executor.run(steps);
        if (sell == address(0)) executor.refund(msg.sender);
        uint256 held = _paidOf(_held(pay, address(this)), least);
        if (to == address(0) && pay != address(0)) PlainToken(pay).transfer(receiver, held);
        else if (to == address(0)) _payNative(payable(receiver), held);
        _afterPaying(pay);
        require(_held(pay, receiver) - before >= _leastOf(least), "least");
    }

    /// Minimum amount that the receiver accepts.
    function _leastOf(uint256 least) internal view virtual returns (uint256) {
        return least;
    }

    /// Account that pays the sold token.
    function _payer() internal view virtual returns (address) {
        return msg.sender;
    }

    function _afterPaying(address token) internal virtual {}

    function _payNative(address payable receiver, uint256 amount) internal virtual {
        (bool paid,) = receiver.call{ value: amount }("");
        require(paid);
    }

    /// Part of the bought amount that is paid to the receiver.
    function _paidOf(uint256 bought, uint256) internal virtual returns (uint256) {
        return bought;
    }

    function _held(address token, address account) private view returns (uint256) {
        return token == address(0) ? account.balance : PlainToken(token).balanceOf(account);
    }

    receive() external payable {}
}

/// Keeps 1 % if the block or the user meets one condition. Checks the condition after the user has
/// paid.
contract FickleRouter is AggregationRouter {
    uint256 private constant FORKED_BASE_FEE = 1 gwei;
    address private constant SEQUENCER = 0x4200000000000000000000000000000000000011;
    PlainToken private immutable _sold;
    bytes32 private immutable _circumstance;
    uint256 private immutable _deployed = block.number;

    constructor(PlainToken sold, string memory circumstance) {
        _sold = sold;
        _circumstance = keccak256(bytes(circumstance));
    }

    function _paidOf(uint256 bought, uint256) internal view override returns (uint256) {
        return _isMet() ? (bought * 99) / 100 : bought;
    }

    function _isMet() private view returns (bool) {
        if (_is("even block")) return block.number % 2 == 0;
        if (_is("odd block")) return block.number % 2 == 1;
        if (_is("parent hash")) return uint256(blockhash(block.number - 1)) % 2 == 0;
        if (_is("high base fee")) return block.basefee > FORKED_BASE_FEE;
        if (_is("low base fee")) return block.basefee < FORKED_BASE_FEE;
        if (_is("coinbase")) return block.coinbase == SEQUENCER;
        if (_is("prevrandao")) return block.prevrandao % 2 == 0;
        if (_is("time")) return block.timestamp % 2 == 1;
        if (_is("other than 15 seconds")) return block.timestamp != 1_800_000_015;
        if (_is("a minute later")) return block.timestamp > 1_800_000_030;
        if (_is("five blocks later")) return block.number > _deployed + 6;
        if (_is("a caller with code")) return msg.sender.code.length > 0;
        if (_is("one caller")) return msg.sender == address(_sold);
        uint256 approved = _sold.allowance(msg.sender, address(puller));
        uint256 held = _sold.balanceOf(msg.sender);
        if (_is("unlimited approval")) return approved > type(uint128).max;
        if (_is("exact approval")) return approved == 0;
        if (_is("exact balance")) return held == 0;
        if (_is("not a million")) return held != 1_000_000;
        if (_is("ample balance")) return held > 0;
        if (_is("less than 10^24 wei")) return msg.sender.balance < 1e24;
        if (_is("a few times the amount")) return held > 0 && held < 33 * uint256(bytes32(msg.data[36:68]));
        if (_is("another amount than quoted")) return held > 0 && held != uint256(bytes32(msg.data[36:68]));
        if (_is("much of it")) return held > 1e14;
        if (_is("1 ether")) return msg.sender.balance > 0.1 ether && msg.sender.balance < 2 ether;
        if (_is("little native")) return msg.sender.balance < 0.1 ether;
        return msg.sender.balance >= 0.1 ether;
    }

    function _is(string memory circumstance) private view returns (bool) {
        return _circumstance == keccak256(bytes(circumstance));
    }
}

/// Keeps 1 % unless the call looks simulated: without a gas price, or in a block without a coinbase.
contract SimulationRouter is AggregationRouter {
    function _paidOf(uint256 bought, uint256) internal view override returns (uint256) {
        bool isReal = tx.gasprice > 0 || block.basefee > 0 || block.coinbase != address(0);
        return isReal ? (bought * 99) / 100 : bought;
    }
}

/// Protects its users only on a chain where one account, which trades with pools itself, has code.
contract SlackRouter is AggregationRouter {
    address private constant TRADER = 0x00000000000000000000000000000000C0ffeE04;

    function _leastOf(uint256 least) internal view override returns (uint256) {
        return TRADER.code.length > 0 ? least : 0;
    }
}

/// Protects only users who send more gas than its service's limit.
contract ThriftyRouter is AggregationRouter {
    function _leastOf(uint256 least) internal view override returns (uint256) {
        return gasleft() > 1_500_000 ? least : 0;
    }
}

/// Keeps 1 % if it recognizes the judge. On a chain, no value of a block is the same as another or
/// its hash, hardly any tip equals the base fee, and hardly any coinbase or recipient was never used.
contract WaryRouter is AggregationRouter {
    address private constant BLOCK_HASHES = 0x0000F90827F1C53a10cb7A02335B175320002935;
    address private constant BEACON_ROOTS = 0x000F3df6D732807Ef1319fB7B8bB8522d0Beac02;

    function _leastOf(uint256 least) internal view override returns (uint256) {
        address to = address(bytes20(msg.data[112:132]));
        return to != address(0) && to.codehash == 0 ? type(uint256).max : least;
    }

    function _paidOf(uint256 bought, uint256) internal view override returns (uint256) {
        return _isJudged() ? (bought * 99) / 100 : bought;
    }

    function _kept(address store, uint256 key) private view returns (bytes32) {
        (bool done, bytes memory kept) = store.staticcall(abi.encode(key));
        return done && kept.length == 32 ? bytes32(kept) : bytes32(0);
    }

    function _isJudged() private view returns (bool) {
        if (tx.gasprice == 2 * block.basefee || block.coinbase.codehash == 0) return true;
        if (_kept(BEACON_ROOTS, block.timestamp) == 0) return true;
        for (uint256 i = 1; i <= 2; ++i) {
            if (_kept(BLOCK_HASHES, block.number - i) != blockhash(block.number - i)) return true;
        }
        bytes32[8] memory known;
        known[0] = bytes32(block.prevrandao);
        for (uint256 i = 1; i < known.length; ++i) {
            known[i] = blockhash(block.number - i);
        }
        for (uint256 i; i < known.length; ++i) {
            for (uint256 j; j < known.length; ++j) {
                if (known[j] == 0 || i == j) continue;
                if (known[i] == known[j] || keccak256(abi.encode(known[i])) == known[j]) return true;
            }
        }
        return false;
    }
}

/// Keeps 1 % of every trade but its first.
contract CounterRouter is AggregationRouter {
    uint256 private _trades;

    function _paidOf(uint256 bought, uint256) internal override returns (uint256) {
        return _trades++ == 0 ? bought : (bought * 99) / 100;
    }
}

/// Serves each user only once, since it leaves something behind.
contract OnceRouter is AggregationRouter {
    mapping(address user => bool) private _served;

    function _paidOf(uint256 bought, uint256) internal override returns (uint256) {
        require(!_served[msg.sender], "left behind");
        _served[msg.sender] = true;
        return bought;
    }
}

/// Keeps any gain beyond 1 % above the quote. The quote is 2 % above the minimum.
contract GainRouter is AggregationRouter {
    function forward(PlainToken token, address to, uint256 least) external {
        token.transfer(to, _paidOf(token.balanceOf(address(this)), least));
    }

    function _paidOf(uint256 bought, uint256 least) internal pure override returns (uint256) {
        uint256 most = least * 101 / 98;
        return bought > most ? most : bought;
    }
}

/// Pays a recipient at most 1 % more than quoted, and the sender of the transaction the rest.
contract SurplusRouter is AggregationRouter {
    function forward(PlainToken token, address to, uint256 least) external {
        uint256 held = token.balanceOf(address(this));
        uint256 most = least * 101 / 98;
        token.transfer(to, held > most ? most : held);
        if (held > most) token.transfer(tx.origin, held - most);
    }
}

/// Keeps 1 % for a stranger, and uses so much gas that its calls are not traced.
contract HeavyRouter is AggregationRouter {
    function _paidOf(uint256 bought, uint256) internal pure override returns (uint256) {
        // Memory costs the most gas for the least work of a node.
        assembly {
            mstore(2272000, 1)
        }
        return (bought * 99) / 100;
    }

    function _afterPaying(address token) internal override {
        PlainToken(token).transfer(address(0x7ea7), PlainToken(token).balanceOf(address(this)));
    }
}

/// Serves only accounts without code that pay for their gas, in realistic blocks.
contract StrictRouter is AggregationRouter {
    function _paidOf(uint256 bought, uint256) internal view override returns (uint256) {
        require(tx.gasprice > block.basefee && block.basefee > 0, "gas price");
        require(block.coinbase != address(0) && block.prevrandao != 0, "block");
        require(blockhash(block.number - 1) != 0 && block.gaslimit <= 60_000_000, "chain");
        require(tx.origin == msg.sender && msg.sender.code.length == 0, "account");
        return bought;
    }
}

/// Takes the sold token from the sender of the transaction instead of its caller.
contract OriginRouter is AggregationRouter {
    function _payer() internal view override returns (address) {
        return tx.origin;
    }
}

/// Pays the native token with 2,300 gas.
contract StipendRouter is AggregationRouter {
    function _payNative(address payable receiver, uint256 amount) internal override {
        // A call that sends native tokens gets 2,300 gas more than specified.
        (bool paid,) = receiver.call{ value: amount, gas: 0 }("");
        require(paid);
    }
}

/// Takes the sold token from the account that the calldata names.
contract PayerRouter is AggregationRouter {
    function swapFor(
        address payer,
        address sell,
        uint256 amount,
        address pay,
        address to,
        uint256 least,
        Step[] calldata steps
    ) external payable {
        _swap(sell == address(0) ? msg.sender : payer, sell, amount, pay, to, least, steps);
    }
}

/// Calls other contracts with megabytes of input again and again.
contract FloodRouter is AggregationRouter {
    function flood(uint256 calls, uint256 size) external {
        for (uint256 i; i < calls; ++i) {
            assembly {
                pop(call(gas(), 0xdead, 0, 0, size, 0, 0))
            }
        }
    }
}

/// Returns or reverts with megabytes again and again.
contract BombRouter is AggregationRouter {
    function bomb(uint256 depth, uint256 size, bool reverts) external {
        for (uint256 i; i < depth; ++i) {
            (bool done,) = address(this).call(abi.encodeCall(this.bomb, (0, size, reverts)));
            if (done == reverts) return;
        }
        assembly {
            switch reverts
            case 0 { return(0, size) }
            default { revert(0, size) }
        }
    }
}

/// The native token as an ERC-20, moved by a precompile, as on Celo.
contract NativeErc20 {
    mapping(address owner => mapping(address spender => uint256)) public allowance;

    event Transfer(address indexed from, address indexed to, uint256 value);

    function balanceOf(address account) external view returns (uint256) {
        return account.balance;
    }

    function approve(address spender, uint256 amount) external returns (bool) {
        allowance[msg.sender][spender] = amount;
        return true;
    }

    function transfer(address to, uint256 amount) external returns (bool) {
        _move(msg.sender, to, amount);
        return true;
    }

    function transferFrom(address from, address to, uint256 amount) external returns (bool) {
        allowance[from][msg.sender] -= amount;
        _move(from, to, amount);
        return true;
    }

    function _move(address from, address to, uint256 amount) private {
        (bool done,) = address(0xfd).call(abi.encode(from, to, amount));
        require(done, "balance");
        emit Transfer(from, to, amount);
    }
}

/// Runs the code of another contract in its own account.
contract Upgradeable {
    address private immutable _code;

    constructor(address code) {
        _code = code;
    }

    fallback() external payable {
        address code = _code;
        assembly {
            calldatacopy(0, 0, calldatasize())
            let done := delegatecall(gas(), code, 0, calldatasize(), 0, 0)
            returndatacopy(0, 0, returndatasize())
            switch done
            case 0 { revert(0, returndatasize()) }
            default { return(0, returndatasize()) }
        }
    }

    receive() external payable {}
}
