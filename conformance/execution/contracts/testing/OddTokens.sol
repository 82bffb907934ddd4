// SPDX-License-Identifier: MIT
pragma solidity ^0.8.34;

/// Balances and approvals of accounts.
abstract contract Holdings {
    mapping(address account => uint256) internal _held;
    mapping(address owner => mapping(address spender => uint256)) public allowance;

    event Transfer(address indexed from, address indexed to, uint256 value);

    constructor() {
        _held[msg.sender] = 1e30;
    }

    function balanceOf(address account) public view virtual returns (uint256) {
        return _held[account];
    }

    function totalSupply() public pure virtual returns (uint256) {
        return 1e30;
    }

    function _move(address from, address to, uint256 amount) internal virtual {
        _moveShares(from, to, amount);
        emit Transfer(from, to, amount);
    }

    function _moveShares(address from, address to, uint256 shares) internal {
        _held[from] -= shares;
        _held[to] += shares;
    }
}

/// An ordinary token. Each of the tokens below differs in one respect.
contract PlainToken is Holdings {
    function approve(address spender, uint256 amount) external returns (bool) {
        allowance[msg.sender][spender] = amount;
        return true;
    }

    function transfer(address to, uint256 amount) external virtual returns (bool) {
        _move(msg.sender, to, amount);
        return true;
    }

    function transferFrom(address from, address to, uint256 amount) external virtual returns (bool) {
        allowance[from][msg.sender] -= amount;
        _move(from, to, amount);
        return true;
    }
}

/// Keeps 3 % of every transfer.
contract FeeToken is PlainToken {
    function _move(address from, address to, uint256 amount) internal override {
        uint256 fee = (amount * 3) / 100;
        super._move(from, to, amount - fee);
        super._move(from, address(0xfee), fee);
    }
}

/// Stores balances as shares, each worth less than a unit, and rounds down.
contract RebasingToken is PlainToken {
    /// Number of shares that are worth `UNITS` units.
    uint256 private _shares = 7e24;
    uint256 private constant UNITS = 3e24;

    function balanceOf(address account) public view override returns (uint256) {
        return (_held[account] * UNITS) / _shares;
    }

    function _move(address from, address to, uint256 amount) internal override {
        _moveShares(from, to, (amount * _shares) / UNITS);
        emit Transfer(from, to, amount);
    }
}

/// Pays interest every second: 10 % a year. Rounds balances and transfers to the nearest unit.
contract AccruingToken is PlainToken {
    uint256 private constant RAY = 1e27;
    uint256 private constant RATE_PER_SECOND = RAY / 10 / 365 days;
    uint256 private immutable _since = block.timestamp;

    function _index() private view returns (uint256) {
        return (RAY * 9) / 8 + RATE_PER_SECOND * (block.timestamp - _since);
    }

    function balanceOf(address account) public view override returns (uint256) {
        return (_held[account] * _index() + RAY / 2) / RAY;
    }

    function _move(address from, address to, uint256 amount) internal override {
        _moveShares(from, to, (amount * RAY + _index() / 2) / _index());
        emit Transfer(from, to, amount);
    }
}

/// Keeps balances in another contract.
contract SplitToken is PlainToken {
    Ledger private immutable _ledger = new Ledger(msg.sender);

    function balanceOf(address account) public view override returns (uint256) {
        return _ledger.held(account);
    }

    function _move(address from, address to, uint256 amount) internal override {
        _ledger.move(from, to, amount);
        emit Transfer(from, to, amount);
    }
}

contract Ledger {
    mapping(address account => uint256) public held;

    constructor(address first) {
        held[first] = 1e30;
    }

    function move(address from, address to, uint256 amount) external {
        held[from] -= amount;
        held[to] += amount;
    }
}

/// Computes balances with a formula, so that no storage slot raises a balance.
contract FormulaToken is PlainToken {
    function balanceOf(address account) public pure override returns (uint256) {
        return uint160(account) % 10;
    }
}

/// Uses all gas instead of returning a balance.
contract SilentToken is PlainToken {
    function balanceOf(address) public pure override returns (uint256) {
        assembly { invalid() }
    }
}

/// Limits the balance of accounts without code.
contract LimitToken is PlainToken {
    uint256 private constant LIMIT = 3e7;

    function _move(address from, address to, uint256 amount) internal override {
        super._move(from, to, amount);
        require(to.code.length > 0 || _held[to] <= LIMIT, "limit");
    }
}

/// Keeps a list of each account's past balances; the last entry is current.
contract CheckpointToken is PlainToken {
    struct Checkpoint {
        uint64 time;
        uint192 held;
    }

    mapping(address account => Checkpoint[]) private _checkpoints;

    constructor() {
        _checkpoints[msg.sender].push(Checkpoint(uint64(block.timestamp), 1e30));
    }

    function balanceOf(address account) public view override returns (uint256) {
        uint256 count = _checkpoints[account].length;
        return count == 0 ? 0 : _checkpoints[account][count - 1].held;
    }

    function _move(address from, address to, uint256 amount) internal override {
        _put(from, balanceOf(from) - amount);
        _put(to, balanceOf(to) + amount);
        emit Transfer(from, to, amount);
    }

    function _put(address account, uint256 held) private {
        _checkpoints[account].push(Checkpoint(uint64(block.timestamp), uint192(held)));
    }
}

/// Stores balances as reflections. One unit is worth about 2^157 reflections.
contract ReflectionToken is PlainToken {
    uint256 private constant RATE = type(uint256).max / 1e30;

    constructor() {
        _held[msg.sender] = 1e30 * RATE;
    }

    function balanceOf(address account) public view override returns (uint256) {
        return _held[account] / RATE;
    }

    function _move(address from, address to, uint256 amount) internal override {
        _held[from] -= amount * RATE;
        _held[to] += amount * RATE;
        emit Transfer(from, to, amount);
    }
}

/// Shows members of each club a bonus, which they cannot transfer. A node that sorts the slots that
/// `balanceOf` reads returns the balance between the memberships, since there are several.
contract BonusToken is PlainToken {
    uint256 private constant BONUS = 1e24;
    mapping(address account => bool)[3] private _isMember;

    function balanceOf(address account) public view override returns (uint256 shown) {
        shown = _held[account];
        for (uint256 club = 0; club < _isMember.length; club++) {
            if (_isMember[club][account]) shown += BONUS;
        }
    }
}

/// Shows a bonus of less than twice what some trades sell, but of more than there is.
contract RareBonusToken is BonusToken {
    function totalSupply() public pure override returns (uint256) {
        return 9e23;
    }
}

/// Reports no balance above its supply.
contract CappedToken is PlainToken {
    function balanceOf(address account) public view override returns (uint256) {
        require(_held[account] <= totalSupply(), "more than the supply");
        return _held[account];
    }

    function totalSupply() public pure override returns (uint256) {
        return 17e22;
    }
}

/// Keeps an account's balance in one word with other facts about it.
contract PackedToken is PlainToken {
    struct Account {
        bool isBlocked;
        uint128 held;
        uint64 memberSince;
    }

    mapping(address account => Account) private _accounts;

    constructor() {
        _accounts[msg.sender].held = 1e30;
        admit(msg.sender);
    }

    function admit(address account) public {
        _accounts[account].memberSince = uint64(block.timestamp);
    }

    function memberSince(address account) external view returns (uint256) {
        return _accounts[account].memberSince;
    }

    function balanceOf(address account) public view override returns (uint256) {
        return _accounts[account].held;
    }

    function _move(address from, address to, uint256 amount) internal override {
        _accounts[from].held -= uint128(amount);
        _accounts[to].held += uint128(amount);
        emit Transfer(from, to, amount);
    }
}

/// A token whose functions return nothing.
contract NoReturnToken is Holdings {
    function approve(address spender, uint256 amount) public virtual {
        allowance[msg.sender][spender] = amount;
    }

    function transfer(address to, uint256 amount) external {
        _move(msg.sender, to, amount);
    }

    function transferFrom(address from, address to, uint256 amount) external {
        allowance[from][msg.sender] -= amount;
        _move(from, to, amount);
    }
}

/// A router with one pool, which swaps two tokens at a rate chosen by the caller.
contract Counter {
    Pool public immutable pool = new Pool();

    error NotPaid(uint256 missing);

    function trade(address sell, uint256 amount, address buy, uint256 bought, address to)
        public
        virtual
    {
        uint256 held = PlainToken(sell).balanceOf(address(pool));
        (bool done,) = sell.call(
            abi.encodeWithSignature(
                "transferFrom(address,address,uint256)", msg.sender, address(pool), amount
            )
        );
        uint256 paid = PlainToken(sell).balanceOf(address(pool)) - held;
        // A token of shares may lose a unit.
        if (!done || paid + 1 < amount) revert NotPaid(amount - paid);
        pool.pay(buy, to, bought);
    }
}

/// Takes a token in two transfers, and pays in proportion to what the pool received.
contract Proportional is Counter {
    function trade(address sell, uint256 amount, address buy, uint256 bought, address to)
        public
        override
    {
        uint256 held = PlainToken(sell).balanceOf(address(pool));
        PlainToken(sell).transferFrom(msg.sender, address(pool), amount / 2);
        PlainToken(sell).transferFrom(msg.sender, address(pool), amount - amount / 2);
        uint256 paid = PlainToken(sell).balanceOf(address(pool)) - held;
        pool.pay(buy, to, (bought * paid) / amount);
    }
}

/// Hides in what tokens round: takes a few units more than it swaps, and pays a few units less.
contract Skimmer is Counter {
    uint256 private constant UNITS = 5;

    function trade(address sell, uint256 amount, address buy, uint256 bought, address to)
        public
        override
    {
        super.trade(sell, amount, buy, bought - UNITS, to);
        PlainToken token = PlainToken(sell);
        if (token.allowance(msg.sender, address(this)) < UNITS) return;
        if (token.balanceOf(msg.sender) < UNITS) return;
        token.transferFrom(msg.sender, address(pool), UNITS);
    }
}

contract Pool {
    error OutOfLiquidity();

    function pay(address token, address to, uint256 amount) external {
        if (PlainToken(token).balanceOf(address(this)) < amount) revert OutOfLiquidity();
        (bool done,) = token.call(abi.encodeWithSignature("transfer(address,uint256)", to, amount));
        if (!done) revert OutOfLiquidity();
    }
}
