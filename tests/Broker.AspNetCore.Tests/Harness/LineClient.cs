using System.Net;
using System.Net.Sockets;
using System.Text;

namespace Broker.AspNetCore.Tests.Harness;

/// <summary>A NATS client over TCP that sends the lines that a test gives it.</summary>
internal sealed class LineClient : IDisposable
{
    private readonly TcpClient _client = new() { ReceiveTimeout = (int)Wait.Limit.TotalMilliseconds, SendTimeout = (int)Wait.Limit.TotalMilliseconds };
    private readonly StreamReader _reader;

    internal LineClient(EndPoint endPoint, string connect = "{\"verbose\":false,\"pedantic\":false}", string more = "")
    {
        _client.Connect((IPEndPoint)endPoint);
        _reader = new StreamReader(_client.GetStream(), Encoding.UTF8);
        Assert.StartsWith("INFO ", ReadLine(), StringComparison.Ordinal);
        Send($"CONNECT {connect}\r\n{more}");
        Sync();
    }

    internal int LocalPort => ((IPEndPoint)_client.Client.LocalEndPoint!).Port;

    internal void Send(string text) => _client.GetStream().Write(Encoding.UTF8.GetBytes(text));

    internal string ReadLine() => _reader.ReadLine() ?? "";

    /// <summary>Returns when the server has processed all sent operations.</summary>
    internal void Sync()
    {
        Send("PING\r\n");
        for (string line = ReadLine(); line is not ("PONG" or ""); line = ReadLine())
        {
            if (line == "PING")
            {
                Send("PONG\r\n");
            }
        }
    }

    /// <summary>
    /// Sends a request and then a second one, and returns the replies before that of the second one. The client must
    /// have subscribed to <c>in.*</c>.
    /// </summary>
    /// <returns>The lines of each reply: one line of JSON, or the lines of a header.</returns>
    internal List<string> Request(string subject, string body, string second)
    {
        Send($"PUB {subject} in.first {body.Length}\r\n{body}\r\nPUB {second} in.second 0\r\n\r\n");
        var replies = new List<string>();
        while (true)
        {
            string line = ReadLine();
            if (line == "PING")
            {
                Send("PONG\r\n");
            }
            else if (line.StartsWith("HMSG ", StringComparison.Ordinal))
            {
                replies.Add(ReadLine());
                Assert.Equal("", ReadLine() + ReadLine());
            }
            else if (line.StartsWith("MSG in.first ", StringComparison.Ordinal))
            {
                replies.Add(ReadLine());
            }
            else if (line.StartsWith("MSG in.second ", StringComparison.Ordinal))
            {
                ReadLine();
                return replies;
            }
            else
            {
                Assert.NotEqual("", line);
            }
        }
    }

    public void Dispose()
    {
        _reader.Dispose();
        _client.Dispose();
    }
}
