using System.Runtime.CompilerServices;

namespace Broker.Server;

/// <summary>
/// The operation that a client's session has deferred to the next iteration of the loop, because the work budget of
/// this iteration is used up. The connection delivers the bytes of the operation again. Runs on the connection's loop.
/// </summary>
internal sealed class DeferredOperation
{
    // The length of the operation in bytes. For a CONNECT this is the length without the end of its line.
    private int _length;
    private bool _isConnect;

    /// <summary>Defers an operation of this length. Returns false, which stops the parser.</summary>
    [MethodImpl(MethodImplOptions.NoInlining)]
    internal bool Defer(int length)
    {
        _length = length;
        return false;
    }

    /// <summary>Defers a CONNECT with this JSON. Returns false, which stops the parser.</summary>
    internal bool DeferConnect(ReadOnlySpan<byte> json)
    {
        _isConnect = true;
        return Defer("CONNECT ".Length + json.Length);
    }

    /// <summary>Returns and resets the length of the deferred operation; 0 if no operation is deferred.</summary>
    /// <param name="consumed">The bytes that the parser has consumed, with the deferred operation at the end.</param>
    internal int Take(ReadOnlySpan<byte> consumed)
    {
        int length = _length;
        if (_isConnect)
        {
            // The line may contain any number of carriage returns after the JSON.
            length += consumed.Length - consumed[..^1].TrimEnd((byte)'\r').Length;
            _isConnect = false;
        }

        _length = 0;
        return length;
    }
}
