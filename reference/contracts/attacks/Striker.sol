// SPDX-License-Identifier: MIT
pragma solidity ^0.8.34;

/// A token, a sender and a recipient in one. Makes the attacker's calls whenever its token moves, and whenever
/// it receives the native token.
contract Striker {
    struct Strike {
        address target;
        uint256 value;
        bytes input;
    }

    mapping(address account => uint256) public balanceOf;
    /// Percentage of a transfer that is burned.
    uint256 public taxPercent;
    Strike[] private _strikes;
    /// One bit per strike, set if the strike succeeded.
    uint256 public landed;

    function arm(Strike[] calldata strikes) external {
        delete _strikes;
        for (uint256 i; i < strikes.length; ++i) _strikes.push(strikes[i]);
        landed = 0;
    }

    function mint(address to, uint256 amount) external {
        balanceOf[to] += amount;
    }

    function tax(uint256 percent) external {
        taxPercent = percent;
    }

    function transfer(address to, uint256 amount) external returns (bool) {
        return _move(msg.sender, to, amount);
    }

    function transferFrom(address from, address to, uint256 amount) external returns (bool) {
        return _move(from, to, amount);
    }

    /// Calls the manager while its lock is open, and ignores failures.
    function unlockCallback(bytes calldata data) external returns (bytes memory result) {
        (, result) = msg.sender.call(data);
    }

    function strike() public {
        for (uint256 i; i < _strikes.length; ++i) {
            (bool done,) = _strikes[i].target.call{value: _strikes[i].value}(_strikes[i].input);
            if (done) landed |= 1 << i;
        }
    }

    receive() external payable {
        strike();
    }

    function _move(address from, address to, uint256 amount) private returns (bool) {
        balanceOf[from] -= amount;
        balanceOf[to] += amount - amount * taxPercent / 100;
        strike();
        return true;
    }
}
