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

    public void Dispose()
    {
        _reader.Dispose();
        _client.Dispose();
    }
}
