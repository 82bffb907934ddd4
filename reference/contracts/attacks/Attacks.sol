// SPDX-License-Identifier: MIT
pragma solidity ^0.8.34;

interface IToken {
    function balanceOf(address account) external view returns (uint256);
    function transfer(address to, uint256 amount) external returns (bool);
}

interface ICallback {
    function uniswapV3SwapCallback(int256 amount0Delta, int256 amount1Delta, bytes calldata data) external;
}

/// A pool that asks for what it likes in its callback, and for whoever it likes.
contract GreedyPool {
    IToken public immutable out;
    uint256 public immutable given;
    int256 public immutable asked;
    uint256 public immutable times;
    bytes public forged;
    /// Calls back after the swap, not in it.
    bool public immutable late;
    address public lateRouter;

    constructor(IToken out_, uint256 given_, int256 asked_, uint256 times_, bytes memory forged_, bool late_) {
        (out, given, asked, times, forged, late) = (out_, given_, asked_, times_, forged_, late_);
    }

    function swap(address to, bool zeroForOne, int256, uint160, bytes calldata) external returns (int256, int256) {
        out.transfer(to, given);
        if (late) lateRouter = msg.sender;
        for (uint256 i; i < times && !late; ++i) {
            ICallback(msg.sender).uniswapV3SwapCallback(zeroForOne ? asked : -1, zeroForOne ? -1 : asked, forged);
        }
        return zeroForOne ? (asked, -int256(given)) : (-int256(given), asked);
    }

    /// A pair's face, for programs that call it one.
    function getReserves() external pure returns (uint112, uint112, uint32) {
        return (1e18, 1e18, 0);
    }

    function swap(uint256, uint256, address, bytes calldata) external {
        ICallback(msg.sender).uniswapV3SwapCallback(asked, asked, forged);
    }

    function strikeLate() external {
        ICallback(lateRouter).uniswapV3SwapCallback(asked, asked, forged);
    }
}

/// A token that makes a call of the attacker's choice whenever it moves.
contract CallingToken {
    mapping(address account => uint256) public balanceOf;
    address public target;
    bytes public input;
    bool public swallow;

    function arm(address target_, bytes calldata input_, bool swallow_) external {
        (target, input, swallow) = (target_, input_, swallow_);
    }

    function mint(address to, uint256 amount) external {
        balanceOf[to] += amount;
    }

    function transfer(address to, uint256 amount) external returns (bool) {
        return _move(msg.sender, to, amount);
    }

    function transferFrom(address from, address to, uint256 amount) external returns (bool) {
        return _move(from, to, amount);
    }

    function _move(address from, address to, uint256 amount) private returns (bool) {
        balanceOf[from] -= amount;
        balanceOf[to] += amount;
        if (target != address(0)) {
            (bool done, bytes memory why) = target.call(input);
            if (!done && !swallow) {
                assembly {
                    revert(add(why, 32), mload(why))
                }
            }
        }
        return true;
    }
}

/// A token that burns a tenth of whatever moves.
contract TaxedToken {
    mapping(address account => uint256) public balanceOf;
    mapping(address owner => mapping(address spender => uint256)) public allowance;

    function mint(address to, uint256 amount) external {
        balanceOf[to] += amount;
    }

    function approve(address spender, uint256 amount) external returns (bool) {
        allowance[msg.sender][spender] = amount;
        return true;
    }

    function transfer(address to, uint256 amount) external returns (bool) {
        return _move(msg.sender, to, amount);
    }

    function transferFrom(address from, address to, uint256 amount) external returns (bool) {
        allowance[from][msg.sender] -= amount;
        return _move(from, to, amount);
    }

    function _move(address from, address to, uint256 amount) private returns (bool) {
        balanceOf[from] -= amount;
        balanceOf[to] += amount - amount / 10;
        return true;
    }
}

/// A contract that trades through a router whose pool strikes once the trade is over, in one transaction.
contract LateVictim {
    function trade(address token, address router, bytes calldata order, GreedyPool pool) external {
        (bool approved,) = token.call(abi.encodeWithSignature("approve(address,uint256)", router, type(uint256).max));
        (bool traded, bytes memory why) = router.call(order);
        if (!traded) {
            assembly {
                revert(add(why, 32), mload(why))
            }
        }
        require(approved);
        pool.strikeLate();
    }
}
