using System.Collections.Concurrent;
using System.Net;
using System.Net.Sockets;

namespace Broker.Bridge.Tests.Contract.Support;

/// <summary>
/// A link between a ZeroMQ program and the bridge. It writes a minor version into the greetings of both, so that each
/// regards the other as a peer of this version and uses it.
/// </summary>
internal sealed class VersionLink : IAsyncDisposable
{
    private const int MinorAt = 11;
    private const int PieceSize = 64 * 1024;

    private readonly IPEndPoint _target;
    private readonly byte _minor;
    private readonly TcpListener _listener = new(IPAddress.Loopback, 0);
    private readonly CancellationTokenSource _ending = new();
    private readonly ConcurrentBag<Task> _connections = [];
    private readonly Task _accepting;
    private int _greetings;

    private VersionLink(IPEndPoint target, byte minor)
    {
        (_target, _minor) = (target, minor);
        _listener.Start();
        _accepting = AcceptAsync();
    }

    /// <summary>The endpoint of this link, which programs use instead of the endpoint that it leads to.</summary>
    public string Endpoint => $"tcp://{_listener.LocalEndpoint}";

    /// <summary>How many greetings were changed.</summary>
    public int Greetings => Volatile.Read(ref _greetings);

    public static VersionLink Open(string endpoint, byte minor) => new(IPEndPoint.Parse(endpoint["tcp://".Length..]), minor);

    public async ValueTask DisposeAsync()
    {
        await _ending.CancelAsync();
        _listener.Dispose();
        await _accepting;
        await Task.WhenAll(_connections);
        _ending.Dispose();
    }

    private async Task AcceptAsync()
    {
        while (true)
        {
            try
            {
                _connections.Add(JoinAsync(await _listener.AcceptSocketAsync(_ending.Token)));
            }
            catch (Exception e) when (IsEnd(e))
            {
                return;
            }
        }
    }

    private async Task JoinAsync(Socket client)
    {
        using Socket from = client;
        using var to = new Socket(SocketType.Stream, ProtocolType.Tcp);
        (from.NoDelay, to.NoDelay) = (true, true);
        try
        {
            await to.ConnectAsync(_target, _ending.Token);
        }
        catch (Exception e) when (IsEnd(e))
        {
            return;
        }

        await Task.WhenAll(PumpAsync(from, to), PumpAsync(to, from));
    }

    private async Task PumpAsync(Socket from, Socket to)
    {
        byte[] piece = new byte[PieceSize];
        long passed = 0;
        try
        {
            while (await from.ReceiveAsync(piece, _ending.Token) is > 0 and var count)
            {
                if (passed <= MinorAt && passed + count > MinorAt)
                {
                    piece[MinorAt - passed] = _minor;
                    Interlocked.Increment(ref _greetings);
                }

                passed += count;
                for (ReadOnlyMemory<byte> left = piece.AsMemory(0, count); !left.IsEmpty;)
                {
                    left = left[await to.SendAsync(left, _ending.Token)..];
                }
            }

            to.Shutdown(SocketShutdown.Send);
        }
        catch (Exception e) when (IsEnd(e))
        {
            // If one end closes abruptly, the other end and the pump of the other direction are closed, too.
            from.Close(0);
            to.Close(0);
        }
    }

    private static bool IsEnd(Exception e) => e is SocketException or ObjectDisposedException or OperationCanceledException;
}
