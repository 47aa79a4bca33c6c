using System.Diagnostics;
using System.Globalization;
using System.Net;
using System.Net.Security;
using System.Net.Sockets;
using System.Security.Cryptography.X509Certificates;
using System.Text;
using Broker.TestKit.Dialogues;

namespace Broker.Server.Tests.Harness;

/// <summary>A client on a blocking socket that sends exactly the given text. Every wait has a timeout.</summary>
internal sealed class RawClient : IFuzzClient
{
    internal const string Quiet = "CONNECT {\"verbose\":false,\"pedantic\":false}\r\n";
    internal const string WithHeaders =
        "CONNECT {\"verbose\":false,\"pedantic\":false,\"headers\":true,\"no_responders\":true}\r\n";

    private const string Question = "PING\r\n";

    private readonly byte[] _buffer = new byte[64 * 1024];
    private SslStream? _secured;
    private int _start;
    private int _end;
    private bool _wasAsked;

    internal RawClient(EndPoint endPoint, int receiveBuffer = 0)
    {
        ProtocolType protocol = endPoint is UnixDomainSocketEndPoint ? ProtocolType.Unspecified : ProtocolType.Tcp;
        Socket = new Socket(endPoint.AddressFamily, SocketType.Stream, protocol) { ReceiveTimeout = (int)Wait.Limit.TotalMilliseconds, SendTimeout = (int)Wait.Limit.TotalMilliseconds };
        if (receiveBuffer != 0)
        {
            Socket.ReceiveBufferSize = receiveBuffer;
        }

        if (protocol == ProtocolType.Tcp)
        {
            Socket.NoDelay = true;
        }

        Socket.Connect(endPoint);
    }

    internal Socket Socket { get; }

    /// <summary>Connects, reads INFO and sends CONNECT.</summary>
    internal static RawClient Open(BrokerServer server, string connect = Quiet, int receiveBuffer = 0)
    {
        var client = new RawClient(server.EndPoints[0], receiveBuffer);
        Assert.StartsWith("INFO {", client.ReadLine(), StringComparison.Ordinal);
        client.Send(connect);
        return client;
    }

    /// <summary>Starts TLS after INFO has been read.</summary>
    internal RawClient Secure()
    {
        Assert.Equal(_start, _end);
        _secured = new SslStream(new NetworkStream(Socket));
        _secured.AuthenticateAsClient(new SslClientAuthenticationOptions
        {
            TargetHost = "localhost",
            CertificateChainPolicy = new X509ChainPolicy
            {
                TrustMode = X509ChainTrustMode.CustomRootTrust,
                CustomTrustStore = { TestCertificates.Common.Authority },
                RevocationMode = X509RevocationMode.NoCheck,
            },
        });
        return this;
    }

    internal void Send(string text) => Send(Encoding.Latin1.GetBytes(text));

    internal void Send(ReadOnlySpan<byte> bytes)
    {
        if (_secured is not null)
        {
            _secured.Write(bytes);
            return;
        }

        while (!bytes.IsEmpty)
        {
            bytes = bytes[Socket.Send(bytes)..];
        }
    }

    /// <summary>Sends text, and ignores an error if the connection is closed.</summary>
    internal void SendWhatGoes(string text)
    {
        try
        {
            Send(text);
        }
        catch (Exception e) when (e is SocketException or IOException)
        {
            // The other side has closed the connection. The next read detects this.
        }
    }

    /// <summary>Sends bytes in two writes if a split is given.</summary>
    public void Say(string text, int? manner)
    {
        int half = manner is null ? 0 : text.Length / 2;
        if (half > 0)
        {
            SendWhatGoes(text[..half]);
            Thread.Sleep(1);
        }

        SendWhatGoes(text[half..]);
    }

    /// <summary>There are no other resources than the stream.</summary>
    public bool TryReadBeside(List<string> heard) => true;

    /// <summary>Reads the next line with its line end; empty at the end of the stream.</summary>
    public string ReadLine()
    {
        var line = new StringBuilder();
        while (true)
        {
            int end = _buffer.AsSpan(_start, _end - _start).IndexOf((byte)'\n');
            int length = end < 0 ? _end - _start : end + 1;
            line.Append(Encoding.Latin1.GetString(_buffer, _start, length));
            _start += length;
            if (end >= 0 || !Fill())
            {
                return line.ToString();
            }
        }
    }

    public byte[] ReadBytes(int count)
    {
        byte[] bytes = new byte[count];
        for (int at = 0; at < count;)
        {
            if (_start == _end)
            {
                Assert.True(Fill(), "the server closed in the middle of a message");
            }

            int some = Math.Min(count - at, _end - _start);
            _buffer.AsSpan(_start, some).CopyTo(bytes.AsSpan(at));
            _start += some;
            at += some;
        }

        return bytes;
    }

    /// <summary>
    /// Reads the next MSG or HMSG with the tokens of its line and its payload. It replies to PINGs before it.
    /// </summary>
    internal (string[] Words, byte[] Payload) ReadMessage()
    {
        string line = ReadLine();
        while (line is "PING\r\n" or "PONG\r\n")
        {
            if (line == "PING\r\n")
            {
                SendWhatGoes("PONG\r\n");
            }

            line = ReadLine();
        }

        Assert.Matches("^H?MSG ", line);
        string[] words = line.TrimEnd().Split(' ');
        byte[] payload = ReadBytes(int.Parse(words[^1], CultureInfo.InvariantCulture) + 2);
        return (words, payload[..^2]);
    }

    /// <summary>Sends PING and returns everything before the PONG.</summary>
    internal string Sync()
    {
        SendWhatGoes("PING\r\n");
        return ReadToPong();
    }

    /// <summary>
    /// Repeats this until enough bytes have arrived. With several loops, messages of another loop may arrive after the
    /// PONG although its publisher has received a PONG already.
    /// </summary>
    internal string Sync(int least)
    {
        string text = Sync();
        for (var waited = Stopwatch.StartNew(); text.Length < least && waited.Elapsed < Wait.Limit;)
        {
            text += Sync();
        }

        return text;
    }

    /// <summary>Reads everything before the next PONG.</summary>
    internal string ReadToPong()
    {
        var text = new StringBuilder();
        while (true)
        {
            string line = ReadLine();
            if (line is "PONG\r\n" or "")
            {
                return text.ToString();
            }

            if (line == Question)
            {
                _wasAsked = true;
            }
            else
            {
                text.Append(line);
            }
        }
    }

    /// <summary>
    /// Waits for the server's first PING, which comes about two seconds after the connection, and replies
    /// to it. After that the server sends nothing but messages for two minutes, so bytes can be counted exactly.
    /// </summary>
    internal void AnswerFirstPing()
    {
        if (!_wasAsked)
        {
            Assert.Equal(Question, ReadLine());
            _wasAsked = true;
        }

        Send("PONG\r\n");
    }

    /// <summary>Reads everything until the other side closes.</summary>
    internal string ReadToEnd()
    {
        var text = new StringBuilder();
        for (string line = ReadLine(); line.Length != 0; line = ReadLine())
        {
            text.Append(line);
        }

        return text.ToString();
    }

    /// <summary>Counts the bytes until the other side closes.</summary>
    internal long CountToEnd(Action<ReadOnlySpan<byte>>? look = null)
    {
        long count = 0;
        do
        {
            count += _end - _start;
            look?.Invoke(_buffer.AsSpan(_start, _end - _start));
            _start = _end;
        }
        while (Fill());
        return count;
    }

    public void Dispose()
    {
        _secured?.Dispose();
        Socket.Dispose();
    }

    private bool Fill()
    {
        if (_start == _end)
        {
            _start = _end = 0;
        }

        try
        {
            int got = _secured?.Read(_buffer, _end, _buffer.Length - _end) ?? Socket.Receive(_buffer, _end, _buffer.Length - _end, SocketFlags.None);
            _end += got;
            return got > 0;
        }
        catch (IOException e) when (_secured is not null && e.InnerException is not SocketException { SocketErrorCode: SocketError.TimedOut })
        {
            return false;
        }
        catch (SocketException e) when (e.SocketErrorCode is SocketError.ConnectionReset or SocketError.ConnectionAborted)
        {
            return false;
        }
    }
}
