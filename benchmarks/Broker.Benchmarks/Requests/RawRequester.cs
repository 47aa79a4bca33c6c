using System.Diagnostics;
using System.Net;
using System.Net.Sockets;
using System.Text;

namespace Broker.Benchmarks.Requests;

/// <summary>A socket, prepared bytes and a blocking thread: the least cost of a request through a server.</summary>
internal sealed class RawRequester : IRequester
{
    private readonly Socket _socket = new(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp) { NoDelay = true };
    private readonly byte[] _request;
    private readonly byte[] _answer = new byte[4096];
    private readonly int _length;

    internal RawRequester(IPEndPoint server, string subject, string body)
    {
        _request = Encoding.ASCII.GetBytes($"PUB {subject} raw.answers {body.Length}\r\n{body}\r\n");
        _length = $"MSG raw.answers 1 {body.Length}\r\n{body}\r\n".Length;
        RawPeer.Connect(_socket, server, "SUB raw.answers 1\r\n");
    }

    public void Ask(Span<long> ticks)
    {
        foreach (ref long taken in ticks)
        {
            long begin = Stopwatch.GetTimestamp();
            _socket.Send(_request);
            for (int have = 0; have < _length;)
            {
                int got = _socket.Receive(_answer);
                have += got > 0 ? got : throw new IOException("The server has closed the connection.");
            }

            taken = Stopwatch.GetTimestamp() - begin;
        }
    }

    public bool TryAskTogether(int requesters, int each) => false;

    public void Dispose() => _socket.Dispose();
}
