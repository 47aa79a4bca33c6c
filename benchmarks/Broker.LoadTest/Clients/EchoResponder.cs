using System.Buffers.Text;
using Broker.Benchmarks.NatsNet.Clients;
using Broker.LoadTest.Driver;

namespace Broker.LoadTest.Clients;

/// <summary>
/// Replies to the requests of the measured client. It is part of no client library. The replies to the requests of one
/// receive leave in one send.
/// </summary>
/// <param name="connection">A connection of its own.</param>
internal sealed class EchoResponder(RawConnection connection)
{
    private const int Sid = 1;

    // A reply is shorter than its request, which fits the receive buffer. So a reply fits behind that many bytes.
    private readonly byte[] _replies = new byte[2 * BufferPool.BufferSize];
    private int _length;

    private static ReadOnlySpan<byte> Prefix => "MSG contest.echo 1 "u8;

    /// <summary>Subscribes; returns when the server knows it.</summary>
    public void Subscribe()
    {
        connection.Send(Frames.Subscribe(PlainTraffic.Echo, null, Sid));
        connection.Fence();
    }

    /// <summary>Replies until the connection is closed.</summary>
    public void Run()
    {
        while (true)
        {
            if (_length > (connection.Unread.IsEmpty ? 0 : BufferPool.BufferSize))
            {
                connection.Send(_replies.AsSpan(0, _length));
                _length = 0;
            }

            ReadOnlySpan<byte> line = connection.ReadLine();
            if (line.SequenceEqual("PING"u8))
            {
                connection.AnswerPing();
                continue;
            }

            Answer(line);
        }
    }

    private void Answer(ReadOnlySpan<byte> line)
    {
        // The arguments behind the prefix, reply subject and size, are those of the PUB.
        ReadOnlySpan<byte> arguments = line.StartsWith(Prefix) ? line[Prefix.Length..] : default;
        int space = arguments.IndexOf((byte)' ');
        if (space <= 0 || !Utf8Parser.TryParse(arguments[(space + 1)..], out int size, out _))
        {
            throw new DriverException($"Expected a request and received '{RawConnection.Show(line)}'.");
        }

        Append("PUB "u8);
        Append(arguments);
        Append(Wire.Crlf);
        connection.Need(size + Wire.Crlf.Length);
        Append(connection.Unread[..(size + Wire.Crlf.Length)]);
        connection.Consume(size + Wire.Crlf.Length);
    }

    private void Append(ReadOnlySpan<byte> bytes)
    {
        bytes.CopyTo(_replies.AsSpan(_length));
        _length += bytes.Length;
    }
}
