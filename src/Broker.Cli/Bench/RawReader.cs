using Broker.Protocol;

namespace Broker.Cli.Bench;

/// <summary>
/// Receives on one connection, and passes each operation to a handler. If a read continues with the messages of the
/// read before it, only the first and the last one are compared, and the others are counted.
/// </summary>
/// <param name="link">The connection.</param>
/// <param name="bufferBytes">The size of the buffer. It grows if a message does not fit into it.</param>
/// <param name="mostBytes">The largest message that is accepted.</param>
internal sealed class RawReader(RawLink link, int bufferBytes, int mostBytes)
{
    // An INFO may be long.
    private const int LongestLine = 1024 * 1024;

    private byte[] _buffer = GC.AllocateUninitializedArray<byte>(bufferBytes, pinned: true);
    private ServerOperationParser _parser = new(new ParserLimits(LongestLine, mostBytes));
    private int _held;
    private byte[]? _frame;

    /// <summary>Receives once and handles what has come. Returns false if nothing came in the time-out of the link.</summary>
    /// <exception cref="IOException">The connection was lost, or the server violates the protocol.</exception>
    public bool Read<THandler>(ref THandler handler)
        where THandler : struct, IRawHandler
    {
        if (_held == _buffer.Length)
        {
            // The buffer grows with received bytes, and not with the size that the server announces.
            Array.Resize(ref _buffer, _buffer.Length * 2);
        }

        int received = link.Receive(_buffer.AsSpan(_held));
        if (received == 0)
        {
            return false;
        }

        ReadOnlySpan<byte> bytes = _buffer.AsSpan(0, _held + received);
        int used = SkipEqual(bytes, ref handler);
        if (used == 0)
        {
            used = Parse(bytes, ref handler);
        }

        bytes[used..].CopyTo(_buffer);
        _held = bytes.Length - used;
        return true;
    }

    // A message of another length between the two that are compared would move the last one.
    private int SkipEqual<THandler>(ReadOnlySpan<byte> bytes, ref THandler handler)
        where THandler : struct, IRawHandler
    {
        int count = _frame is null ? 0 : bytes.Length / _frame.Length;
        int used = count * (_frame?.Length ?? 0);
        if (used == 0 || !bytes.StartsWith(_frame) || !bytes[..used].EndsWith(_frame))
        {
            return 0;
        }

        handler.OnEqual(count);
        return used;
    }

    private int Parse<THandler>(ReadOnlySpan<byte> bytes, ref THandler handler)
        where THandler : struct, IRawHandler
    {
        int needed = 0;
        int used = _parser.Parse(bytes, ref handler, ref needed, out ProtocolError error);
        if (error != ProtocolError.None)
        {
            throw new IOException($"The server violated the protocol: {ProtocolErrorText.For(error)}.");
        }

        int equal = handler.TakeEqual();
        _frame = equal > 0 && used % equal == 0 ? bytes[(used - (used / equal))..used].ToArray() : null;
        return used;
    }
}
