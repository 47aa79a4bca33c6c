using System.Buffers.Text;
using System.Net;
using System.Net.Sockets;
using Broker.Benchmarks.Rates;

namespace Broker.Benchmarks.Requests;

/// <summary>
/// Answers each request with its own body. It answers all requests of a read with one system call, and is the same for
/// all requesters.
/// </summary>
internal sealed class RawResponder : IDisposable
{
    private readonly Socket _socket = new(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp) { NoDelay = true };
    private readonly Thread _thread;
    private readonly byte[] _received = new byte[256 * 1024];
    private readonly byte[] _answers = new byte[512 * 1024];
    private volatile ThreadClock? _clock;

    internal RawResponder(IPEndPoint server, string subject)
    {
        RawPeer.Connect(_socket, server, $"SUB {subject} 1\r\n");
        _thread = new Thread(Run) { IsBackground = true, Name = nameof(RawResponder) };
        _thread.Start();
        SpinWait.SpinUntil(() => _clock is not null);
    }

    internal ThreadClock Clock => _clock!;

    public void Dispose()
    {
        _socket.Dispose();
        _thread.Join();
    }

    private void Run()
    {
        _clock = ThreadClock.OfThisThread();
        try
        {
            int have = 0;
            int got;
            while ((got = _socket.Receive(_received, have, _received.Length - have, SocketFlags.None)) > 0)
            {
                have += got;
                int used = Answer(_received.AsSpan(0, have), out int length);
                _received.AsSpan(used, have - used).CopyTo(_received);
                have -= used;
                for (int at = 0; at < length;)
                {
                    at += _socket.Send(_answers.AsSpan(at, length - at));
                }
            }
        }
        catch (Exception e) when (e is SocketException or ObjectDisposedException)
        {
            // The run has ended.
        }
    }

    private int Answer(ReadOnlySpan<byte> bytes, out int length)
    {
        length = 0;
        int used = 0;
        while (bytes[used..].IndexOf("\r\n"u8) is >= 0 and var end)
        {
            ReadOnlySpan<byte> line = bytes.Slice(used, end);
            int behind = used + end + 2;
            if (line.SequenceEqual("PING"u8))
            {
                "PONG\r\n"u8.CopyTo(_answers.AsSpan(length));
                length += "PONG\r\n".Length;
                used = behind;
                continue;
            }

            // The line is MSG, subject, sid 1, reply subject and size.
            ReadOnlySpan<byte> reply = line[(line.IndexOf(" 1 "u8) + 3)..];
            int space = reply.IndexOf((byte)' ');
            if (!Utf8Parser.TryParse(reply[(space + 1)..], out int size, out _) || behind + size + 2 > bytes.Length)
            {
                break;
            }

            "PUB "u8.CopyTo(_answers.AsSpan(length));
            reply.CopyTo(_answers.AsSpan(length + 4));
            length += 4 + reply.Length;
            bytes.Slice(behind - 2, size + 4).CopyTo(_answers.AsSpan(length));
            length += size + 4;
            used = behind + size + 2;
        }

        return used;
    }
}
