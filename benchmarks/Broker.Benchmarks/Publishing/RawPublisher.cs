using System.Buffers.Text;
using System.Net;
using System.Net.Sockets;

namespace Broker.Benchmarks.Publishing;

/// <summary>A connection that publishes to <c>foo</c> and waits for an answer at the end.</summary>
internal abstract class RawPublisher : IDisposable
{
    private readonly byte[] _answer = new byte[4096];

    protected RawPublisher(int port)
    {
        Socket.Connect(new IPEndPoint(IPAddress.Loopback, port));
        Socket.Send("CONNECT {\"verbose\":false}\r\nPING\r\n"u8);
        // The connection reads INFO and the PONG of the handshake.
        while (!_answer.AsSpan(0, Socket.Receive(_answer)).EndsWith("PONG\r\n"u8))
        {
        }
    }

    protected Socket Socket { get; } = new(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp) { NoDelay = true };

    internal abstract void Publish(ReadOnlySpan<byte> body, int messages);

    public virtual void Dispose() => Socket.Dispose();

    protected void AwaitAnswer()
    {
        for (int have = 0; have < "PONG\r\n".Length;)
        {
            have += Socket.Receive(_answer);
        }
    }

    protected static int Write(Span<byte> to, ReadOnlySpan<byte> body)
    {
        "PUB foo "u8.CopyTo(to);
        Utf8Formatter.TryFormat(body.Length, to[8..], out int digits);
        int at = 8 + digits;
        "\r\n"u8.CopyTo(to[at..]);
        body.CopyTo(to[(at + 2)..]);
        at += 2 + body.Length;
        "\r\n"u8.CopyTo(to[at..]);
        return at + 2;
    }

    protected void SendAll(ReadOnlySpan<byte> bytes)
    {
        while (!bytes.IsEmpty)
        {
            bytes = bytes[Socket.Send(bytes)..];
        }
    }
}
