using Broker.Protocol;

namespace Broker.Benchmarks.Parsing;

/// <summary>
/// This project's parser with a receive buffer. The rest of a read moves to the front, as on a connection.
/// </summary>
internal sealed class ReceiveLoop
{
    private readonly byte[] _buffer = new byte[2 * PublishStream.MostBytes];
    private ClientOperationParser _parser = new(ParserLimits.Default);
    private int _filled;

    internal bool ParseWhole<TSink>(ReadOnlySpan<byte> bytes, ref TSink sink)
        where TSink : struct, IPublishSink
    {
        var handler = new SinkHandler<TSink>(sink);
        int needed = 0;
        int consumed = _parser.Parse(bytes, ref handler, ref needed, out ProtocolError error);
        sink = handler.Sink;
        return error == ProtocolError.None && consumed == bytes.Length;
    }

    /// <summary>Parses one read. Returns false if the stream is invalid.</summary>
    internal bool Receive<TSink>(ReadOnlySpan<byte> read, ref TSink sink)
        where TSink : struct, IPublishSink
    {
        read.CopyTo(_buffer.AsSpan(_filled));
        Span<byte> bytes = _buffer.AsSpan(0, _filled + read.Length);
        var handler = new SinkHandler<TSink>(sink);
        int needed = 0;
        int consumed = _parser.Parse(bytes, ref handler, ref needed, out ProtocolError error);
        sink = handler.Sink;
        bytes[consumed..].CopyTo(_buffer);
        _filled = bytes.Length - consumed;
        return error == ProtocolError.None;
    }
}
