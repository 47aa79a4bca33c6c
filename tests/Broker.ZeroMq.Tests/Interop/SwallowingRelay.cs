using System.Net;
using System.Net.Sockets;
using Broker.ZeroMq.Endpoints;

namespace Broker.ZeroMq.Tests.Interop;

/// <summary>A link that can turn into a black hole: connections stay, and nothing comes through.</summary>
internal sealed class SwallowingRelay : IAsyncDisposable
{
    private readonly TcpListener _listener = new(IPAddress.Loopback, 0);
    private readonly int _target;
    private readonly Task _accepting;
    private readonly List<Socket> _ends = [];
    private volatile bool _swallows;

    public SwallowingRelay(ZeroMqEndpoint target)
    {
        _target = target.Port;
        _listener.Start();
        _accepting = AcceptAsync();
    }

    public string Endpoint => $"tcp://127.0.0.1:{((IPEndPoint)_listener.LocalEndpoint).Port}";

    public void Swallow() => _swallows = true;

    /// <summary>From now on; what was swallowed is lost, so the connections of that time are of no use any more.</summary>
    public void Forward()
    {
        Close();
        _swallows = false;
    }

    public async ValueTask DisposeAsync()
    {
        _listener.Stop();
        Close();
        await _accepting;
    }

    private void Close()
    {
        lock (_ends)
        {
            _ends.ForEach(end => end.Dispose());
            _ends.Clear();
        }
    }

    private async Task AcceptAsync()
    {
        try
        {
            while (true)
            {
                var client = await _listener.AcceptSocketAsync();
                var server = new Socket(SocketType.Stream, ProtocolType.Tcp);
                lock (_ends)
                {
                    _ends.AddRange([client, server]);
                }

                _ = JoinAsync(client, server);
            }
        }
        catch (Exception e) when (e is SocketException or ObjectDisposedException)
        {
            // Stopped.
        }
    }

    private async Task JoinAsync(Socket client, Socket server)
    {
        try
        {
            await server.ConnectAsync(IPAddress.Loopback, _target);
            await Task.WhenAll(CarryAsync(client, server), CarryAsync(server, client));
        }
        catch (Exception e) when (e is SocketException or ObjectDisposedException)
        {
            client.Dispose();
            server.Dispose();
        }
    }

    // While it swallows, the end of one side is not told to the other either.
    private async Task CarryAsync(Socket from, Socket to)
    {
        byte[] buffer = new byte[65536];
        try
        {
            for (int got; (got = await from.ReceiveAsync(buffer)) != 0;)
            {
                if (!_swallows)
                {
                    await to.SendAsync(buffer.AsMemory(0, got));
                }
            }

            if (!_swallows)
            {
                to.Dispose();
            }
        }
        catch (Exception e) when (e is SocketException or ObjectDisposedException)
        {
            if (!_swallows)
            {
                to.Dispose();
            }
        }
    }
}
