using System.Net;
using System.Net.Sockets;

namespace Broker.ZeroMq.Tests.Mechanisms;

/// <summary>Forwards one connection and changes one octet of it on request.</summary>
internal sealed class ChangingLink : IAsyncDisposable
{
    private readonly TcpListener _listener = new(IPAddress.Loopback, 0);
    private readonly Task _done;
    private volatile int _change;

    public ChangingLink(ZeroMqEndpoint target)
    {
        _listener.Start();
        _done = RunAsync(target.Port);
    }

    public string Endpoint => $"tcp://127.0.0.1:{((IPEndPoint)_listener.LocalEndpoint).Port}";

    /// <summary>Changes this octet of the client's next data; a negative number counts from the end.</summary>
    public void ChangeNext(int at) => _change = at < 0 ? at : at + 1;

    public async ValueTask DisposeAsync()
    {
        _listener.Stop();
        await _done;
    }

    private async Task RunAsync(int port)
    {
        try
        {
            using Socket client = await _listener.AcceptSocketAsync();
            using var server = new Socket(SocketType.Stream, ProtocolType.Tcp);
            await server.ConnectAsync(IPAddress.Loopback, port);
            await Task.WhenAny(CarryAsync(client, server, changes: true), CarryAsync(server, client, changes: false));
        }
        catch (SocketException)
        {
            // A closed end closes the link.
        }
    }

    private async Task CarryAsync(Socket from, Socket to, bool changes)
    {
        byte[] buffer = new byte[65536];
        try
        {
            for (int got; (got = await from.ReceiveAsync(buffer)) != 0;)
            {
                if (changes && _change is not 0 and var at)
                {
                    buffer[at < 0 ? got + at : at - 1] ^= 1;
                    _change = 0;
                }

                await to.SendAsync(buffer.AsMemory(0, got));
            }
        }
        catch (SocketException)
        {
            // A closed end closes the link.
        }
    }
}
