namespace Broker.Transport;

/// <summary>
/// The memory into which the connections of one loop receive. All connections of the loop share these buffers, and each
/// connection keeps a copy of its unconsumed bytes only. Not thread-safe: only the loop uses it.
/// </summary>
internal sealed class ReceiveBuffers(int size)
{
    private byte[]? _cipher;

    /// <summary>The buffer for bytes that a handler reads.</summary>
    internal byte[] Plain { get; } = GC.AllocateUninitializedArray<byte>(size, pinned: true);

    /// <summary>The buffer for ciphertext.</summary>
    internal byte[] Cipher => _cipher ??= GC.AllocateUninitializedArray<byte>(size, pinned: true);

    /// <summary>The arrays for unconsumed bytes.</summary>
    internal ReceiveArrays Arrays { get; } = new();
}
