using System.Buffers.Binary;
using System.Net;
using System.Net.Sockets;
using System.Text;

namespace Broker.AspNetCore.Tests.Oracle;

/// <summary>A WebSocket client that sends nothing by itself and records what it receives.</summary>
internal sealed class RawWebSocket : IDisposable
{
    // The answer to the last operation: everything before it has been answered.
    private const string Last = "MSG the.end E 0\r\n\r\n";

    private readonly TcpClient _client = new() { NoDelay = true, ReceiveTimeout = (int)Wait.Limit.TotalMilliseconds, SendTimeout = (int)Wait.Limit.TotalMilliseconds };
    private readonly StringBuilder _data = new();
    private readonly StringBuilder _control = new();
    private readonly MemoryStream _message = new();
    private NetworkStream _stream = null!;
    private bool _compressed;

    /// <summary>The received bytes of the stream.</summary>
    internal StringBuilder Data => _data;

    /// <summary>One line for each received control frame.</summary>
    internal StringBuilder Control => _control;

    /// <summary>The response to the upgrade: its status and its relevant headers.</summary>
    internal string Upgrade(int port, string request)
    {
        _client.Connect(IPAddress.Loopback, port);
        _stream = _client.GetStream();
        Write(Encoding.Latin1.GetBytes(request));
        var said = new List<string> { ReadLine().Split(' ') is [_, { } status, ..] ? status : "nothing" };
        for (string line = ReadLine(); line.Length != 0; line = ReadLine())
        {
            if (line.StartsWith("Sec-WebSocket-", StringComparison.OrdinalIgnoreCase) || line.StartsWith("Upgrade:", StringComparison.OrdinalIgnoreCase))
            {
                // Each server may choose whether it keeps compression windows between messages.
                said.Add(line.Split(';')[0].ToUpperInvariant());
            }
        }

        return string.Join('\n', said.Take(1).Concat(said.Skip(1).Order(StringComparer.Ordinal)));
    }

    /// <summary>Sends bytes and ignores errors: the other side may have closed.</summary>
    internal void Write(ReadOnlySpan<byte> bytes)
    {
        try
        {
            _stream.Write(bytes);
        }
        catch (IOException)
        {
            // The read reports the error.
        }
    }

    /// <summary>
    /// Returns everything that was received, after the server has answered the last operation or closed.
    /// </summary>
    internal string Hear(bool withStatus)
    {
        Write(Frame.Of(Frame.Binary, "CONNECT {\"verbose\":false,\"pedantic\":false}\r\nSUB the.end E\r\nPUB the.end 0\r\n\r\n"));
        Write(Frame.Of(Frame.Ping, "the end"));
        bool open = true;
        while (open && !(_data.ToString().EndsWith(Last, StringComparison.Ordinal) && _control.ToString().Contains("pong the end", StringComparison.Ordinal)))
        {
            open = ReadFrame();
        }

        _control.Replace("pong the end\n", "");
        _data.Replace(Last, "");
        // INFO differs between the servers.
        string data = _data.ToString();
        data = data.StartsWith("INFO ", StringComparison.Ordinal) ? data[(data.IndexOf('\n', StringComparison.Ordinal) + 1)..] : data;
        return $"{data}{(withStatus ? _control.ToString() : "")}{(open ? "open" : "closed")}";
    }

    /// <summary>Returns false at the end of the stream.</summary>
    internal bool ReadFrame()
    {
        byte[] head = new byte[2];
        if (!Read(head))
        {
            return false;
        }

        byte[] length = new byte[(head[1] & 0x7F) switch { 126 => 2, 127 => 8, _ => 0 }];
        if (!Read(length))
        {
            return false;
        }

        byte[] payload = new byte[length.Length switch
        {
            2 => BinaryPrimitives.ReadUInt16BigEndian(length),
            8 => checked((int)BinaryPrimitives.ReadInt64BigEndian(length)),
            _ => head[1],
        }];
        if (!Read(payload))
        {
            return false;
        }

        switch (head[0] & 0x0F)
        {
            case Frame.Close:
                string status = payload.Length < 2 ? "" : $" {BinaryPrimitives.ReadUInt16BigEndian(payload)} {Encoding.Latin1.GetString(payload, 2, payload.Length - 2)}";
                _control.Append("close").Append(status.TrimEnd()).Append('\n');
                break;
            case Frame.Pong:
                _control.Append("pong ").Append(Encoding.Latin1.GetString(payload)).Append('\n');
                break;
            default:
                ReadPart(head[0], payload);
                break;
        }

        return true;
    }

    private void ReadPart(byte first, byte[] payload)
    {
        int operation = first & 0x0F;
        if (operation != Frame.Continuation)
        {
            Assert.Equal(Frame.Binary, operation);
            _compressed = (first & 0x40) != 0;
        }

        _message.Write(payload);
        if ((first & 0x80) != 0)
        {
            byte[] whole = _message.ToArray();
            _message.SetLength(0);
            _data.Append(Encoding.Latin1.GetString(_compressed ? Frame.Inflate(whole) : whole));
        }
    }

    private string ReadLine()
    {
        var line = new StringBuilder();
        byte[] one = new byte[1];
        while (Read(one) && one[0] != '\n')
        {
            line.Append((char)one[0]);
        }

        return line.ToString().TrimEnd('\r');
    }

    private bool Read(byte[] bytes)
    {
        try
        {
            return _stream.ReadAtLeast(bytes, bytes.Length, throwOnEndOfStream: false) == bytes.Length;
        }
        catch (IOException e) when (e.InnerException is SocketException { SocketErrorCode: not SocketError.TimedOut })
        {
            return false;
        }
    }

    public void Dispose()
    {
        _message.Dispose();
        _client.Dispose();
    }
}
