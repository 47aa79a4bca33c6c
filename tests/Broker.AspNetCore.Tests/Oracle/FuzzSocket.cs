using System.Globalization;
using System.Text;
using Broker.TestKit.Dialogues;

namespace Broker.AspNetCore.Tests.Oracle;

/// <summary>
/// A client of random dialogues by WebSocket. It sends its operations in one frame, or in frames of any kind that are
/// split anywhere, with PINGs between them. Every frame has a mask.
/// </summary>
/// <remarks>
/// It avoids the intended differences between the two servers, see <see cref="WebSocketDifferences"/>: text is ASCII,
/// the second and third reserved bits are not set, keys and origins are valid, and it sends no close frame. No frame of
/// a compressed message is empty, because an empty one crashes nats-server 2.9.10; <see cref="WebSocketOracleTests"/>
/// tests our answer to it.
/// </remarks>
internal sealed class FuzzSocket : IFuzzClient
{
    private const int MostPieces = 6;

    // No context takeover in either direction: the receiver does not keep the window between messages.
    private const string Deflating = "Sec-WebSocket-Extensions: permessage-deflate; server_no_context_takeover; client_no_context_takeover\r\n";

    private readonly RawWebSocket _socket = new();
    private readonly bool _compresses;
    private int _read;
    private int _asked;
    private int _answered;

    // Whether the last frame did not end its message.
    private bool _isOpen;

    internal FuzzSocket(int port, bool compresses)
    {
        _compresses = compresses;
        string answer = _socket.Upgrade(
            port,
            string.Create(CultureInfo.InvariantCulture, $"GET / HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n")
            + "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n"
            + (compresses ? Deflating : "") + "\r\n");
        Assert.StartsWith("101", answer, StringComparison.Ordinal);
        Assert.Equal(compresses, answer.Contains("PERMESSAGE-DEFLATE", StringComparison.Ordinal));
        Assert.StartsWith("INFO {", ReadLine(), StringComparison.Ordinal);
    }

    public void Say(string text, int? manner)
    {
        if (manner is not { } number)
        {
            // If a message is not complete, this frame completes it.
            _socket.Write(Frame.Of(_isOpen ? Frame.Continuation : Frame.Binary, text));
            _isOpen = false;
            return;
        }

        var random = new Random(number);
        bool isCompressed = _compresses && !_isOpen && random.Next(2) == 0;
        var frames = new List<byte[]>();
        byte[] bytes = isCompressed ? Frame.Deflate(text) : Encoding.Latin1.GetBytes(text);
        int kind = isCompressed || random.Next(2) == 0 ? Frame.Binary : Frame.Text;
        IEnumerable<int> between = Enumerable.Range(1, random.Next(MostPieces)).Select(_ => random.Next(bytes.Length + 1)).Order();
        int[] cuts = [0, .. isCompressed ? between.Distinct().Where(at => at > 0 && at < bytes.Length) : between, bytes.Length];
        for (int i = 1; i < cuts.Length; i++)
        {
            // A compressed message is complete here, because a part of it cannot be decompressed.
            bool isLast = isCompressed ? i == cuts.Length - 1 : random.Next(3) == 0;
            int reserved = isCompressed && i == 1 ? Frame.Compressed : 0;
            frames.Add(Frame.Of(_isOpen ? Frame.Continuation : kind, bytes[cuts[i - 1]..cuts[i]], isLast, reserved: reserved));
            _isOpen = !isLast;
            AddBetween(random, frames, mayBeEmpty: _isOpen && !isCompressed);
        }

        Write(random, frames);
    }

    public string ReadLine()
    {
        while (true)
        {
            int length = _socket.Data.ToString(_read, _socket.Data.Length - _read).IndexOf('\n', StringComparison.Ordinal) + 1;
            if (length > 0)
            {
                return Take(length);
            }

            if (!ReadFrame())
            {
                return "";
            }
        }
    }

    public byte[] ReadBytes(int count)
    {
        while (_socket.Data.Length - _read < count)
        {
            Assert.True(ReadFrame(), "the server closed in the middle of a message");
        }

        return Encoding.Latin1.GetBytes(Take(count));
    }

    /// <summary>
    /// Checks that each PING has one PONG with the same payload. Its position in the stream is not checked.
    /// </summary>
    public bool TryReadBeside(List<string> heard)
    {
        string[] pongs = Pongs();
        while (pongs.Length < _asked)
        {
            if (!ReadFrame())
            {
                return false;
            }

            pongs = Pongs();
        }

        heard.AddRange(pongs[_answered..]);
        _answered = pongs.Length;
        return true;
    }

    public void Dispose() => _socket.Dispose();

    private void AddBetween(Random random, List<byte[]> frames, bool mayBeEmpty)
    {
        switch (random.Next(8))
        {
            case 0:
                frames.Add(Frame.Of(Frame.Ping, string.Create(CultureInfo.InvariantCulture, $"{++_asked}").PadRight(random.Next(126), '.')));
                break;
            case 1:
                frames.Add(Frame.Of(Frame.Pong, "nobody asked"));
                break;
            case 2 when mayBeEmpty:
                frames.Add(Frame.Of(Frame.Continuation, "", last: false));
                break;
        }
    }

    // Sends the frames together, one by one, or split inside frames.
    private void Write(Random random, List<byte[]> frames)
    {
        byte[] all = [.. frames.SelectMany(static f => f)];
        switch (random.Next(3))
        {
            case 0:
                _socket.Write(all);
                break;
            case 1:
                frames.ForEach(f => _socket.Write(f));
                break;
            default:
                int half = random.Next(all.Length + 1);
                _socket.Write(all.AsSpan(0, half));
                Thread.Sleep(1);
                _socket.Write(all.AsSpan(half));
                break;
        }
    }

    private string[] Pongs() => [.. _socket.Control.ToString().Split('\n', StringSplitOptions.RemoveEmptyEntries)];

    // A close frame counts as an end too. Whether it arrives before a reset depends on the system.
    private bool ReadFrame() => _socket.ReadFrame() && !_socket.Control.ToString().Contains("close", StringComparison.Ordinal);

    private string Take(int count)
    {
        string text = _socket.Data.ToString(_read, count);
        _read += count;
        return text;
    }
}
