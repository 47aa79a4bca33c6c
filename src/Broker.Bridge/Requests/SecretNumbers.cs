using System.Buffers.Binary;
using System.Security.Cryptography;

namespace Broker.Bridge;

/// <summary>
/// Numbers of 64 bits that nobody can guess from earlier ones. They are drawn from the system's cryptographic generator
/// in blocks, because a call for each number would cost more than the rest of a request. Used on one loop.
/// </summary>
internal sealed class SecretNumbers
{
    private const int BlockSize = 64 * sizeof(ulong);

    private readonly byte[] _block = new byte[BlockSize];
    private int _used = BlockSize;

    internal ulong Next()
    {
        if (_used == BlockSize)
        {
            RandomNumberGenerator.Fill(_block);
            _used = 0;
        }

        ulong number = BinaryPrimitives.ReadUInt64LittleEndian(_block.AsSpan(_used));
        _used += sizeof(ulong);
        return number;
    }
}
