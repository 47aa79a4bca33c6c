using System.Globalization;
using System.Net;
using System.Net.Sockets;

namespace Broker.Client.Tests.Support;

/// <summary>Stands between client and server and does to the bytes what networks do.</summary>
internal sealed class Relay : IDisposable
{
    private readonly TcpListener _listener = new(IPAddress.Loopback, 0);
    private readonly List<Socket> _sockets = [];
    private readonly int _target;
    private volatile bool _ended;

    public Relay(int target)
    {
        _target = target;
        _listener.Start();
        new Thread(AcceptAll) { IsBackground = true }.Start();
    }

    /// <summary>What becomes of a piece of the client's (true) or the server's bytes: how many of them pass before the connection is cut.</summary>
    public Func<bool, int, int>? Pass { get; set; }

    /// <summary>While it is set nothing passes, in either direction.</summary>
    public ManualResetEventSlim Open { get; } = new(initialState: true);

    public string Url => string.Create(CultureInfo.InvariantCulture, $"nats://127.0.0.1:{((IPEndPoint)_listener.LocalEndpoint).Port}");

    /// <summary>Ends all connections as a lost network does in the end.</summary>
    public void CutAll()
    {
        lock (_sockets)
        {
            _sockets.ForEach(s => s.Dispose());
            _sockets.Clear();
        }
    }

    /// <summary>Ends one direction, and goes on with the other.</summary>
    public void HalfClose(bool toClient)
    {
        lock (_sockets)
        {
            for (int i = toClient ? 0 : 1; i < _sockets.Count; i += 2)
            {
                _sockets[i].Shutdown(SocketShutdown.Send);
            }
        }
    }

    public void Dispose()
    {
        _ended = true;
        Open.Set();
        _listener.Dispose();
        CutAll();
    }

    private void AcceptAll()
    {
        while (!_ended)
        {
            try
            {
                Socket client = _listener.AcceptSocket();
                client.NoDelay = true;
                var server = new Socket(SocketType.Stream, ProtocolType.Tcp) { NoDelay = true };
                try
                {
                    server.Connect(IPAddress.Loopback, _target);
                }
                catch (SocketException)
                {
                    client.Dispose();
                    server.Dispose();
                    continue;
                }

                lock (_sockets)
                {
                    _sockets.Add(client);
                    _sockets.Add(server);
                }

                new Thread(() => Copy(client, server, fromClient: true)) { IsBackground = true }.Start();
                new Thread(() => Copy(server, client, fromClient: false)) { IsBackground = true }.Start();
            }
            catch (Exception e) when (e is SocketException or InvalidOperationException)
            {
                // The listener has ended, or is about to be found ended.
            }
        }
    }

    private void Copy(Socket from, Socket to, bool fromClient)
    {
        byte[] buffer = new byte[64 * 1024];
        try
        {
            int count;
            while ((count = from.Receive(buffer)) > 0)
            {
                Open.Wait();
                int pass = Pass is { } decide ? decide(fromClient, count) : count;
                for (int sent = 0; sent < pass;)
                {
                    sent += to.Send(buffer, sent, pass - sent, SocketFlags.None);
                }

                if (pass < count)
                {
                    break;
                }
            }
        }
        catch (Exception e) when (e is SocketException or ObjectDisposedException)
        {
            // One of the two has gone.
        }

        from.Dispose();
        to.Dispose();
    }
}
