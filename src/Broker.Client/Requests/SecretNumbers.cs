using System.Runtime.InteropServices;
using System.Security.Cryptography;

namespace Broker.Client;

/// <summary>
/// Numbers of 64 bits that nobody can guess from earlier numbers. They come from the system's cryptographic generator,
/// in blocks: a call for each number would cost more than the rest of a request. Not thread-safe.
/// </summary>
internal sealed class SecretNumbers
{
    private readonly ulong[] _block = new ulong[256];
    private int _left;

    internal ulong Next()
    {
        if (_left == 0)
        {
            RandomNumberGenerator.Fill(MemoryMarshal.AsBytes(_block.AsSpan()));
            _left = _block.Length;
        }

        return _block[--_left];
    }
}
