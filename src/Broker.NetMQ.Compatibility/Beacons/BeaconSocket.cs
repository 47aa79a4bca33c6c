using System.Net;
using System.Net.Sockets;

namespace NetMQ;

/// <summary>The UDP socket of a beacon with its timer and the task that receives.</summary>
internal sealed class BeaconSocket : IDisposable
{
    private const int LargestBeacon = 64 * 1024;

    private readonly Socket _socket = new(AddressFamily.InterNetwork, SocketType.Dgram, ProtocolType.Udp);
    private readonly CancellationTokenSource _end = new();
    private readonly IPEndPoint _target;
    private readonly Timer _timer;
    private readonly Action<byte[], IPEndPoint> _onReceived;
    private volatile byte[]? _published;

    /// <summary>Binds the socket and begins to receive.</summary>
    /// <param name="local">The address to bind.</param>
    /// <param name="target">The address that beacons are sent to.</param>
    /// <param name="onReceived">Called with each datagram, one after the other.</param>
    /// <exception cref="SocketException">The address cannot be bound.</exception>
    internal BeaconSocket(IPEndPoint local, IPEndPoint target, Action<byte[], IPEndPoint> onReceived)
    {
        _target = target;
        _onReceived = onReceived;
        _timer = new Timer(_ => Send());
        _socket.EnableBroadcast = true;

        // Several programs of one host find each other by the same port.
        _socket.SetSocketOption(SocketOptionLevel.Socket, SocketOptionName.ReuseAddress, true);
        try
        {
            _socket.Bind(local);
        }
        catch
        {
            _socket.Dispose();
            throw;
        }

        _ = ReceiveAsync();
    }

    /// <summary>Sends a beacon now and after each interval, in place of the one before.</summary>
    internal void Publish(byte[] beacon, TimeSpan interval)
    {
        _published = beacon;
        _timer.Change(TimeSpan.Zero, interval);
    }

    internal void Silence()
    {
        _published = null;
        _timer.Change(Timeout.Infinite, Timeout.Infinite);
    }

    /// <summary>Whether the bytes are the beacon that this object publishes.</summary>
    internal bool IsOwn(ReadOnlySpan<byte> beacon) => _published is { } own && beacon.SequenceEqual(own);

    public void Dispose()
    {
        _end.Cancel();
        _timer.Dispose();
        _socket.Dispose();
        _end.Dispose();
    }

    // A network that is away for a while must not end the program: the next interval tries again.
    private void Send()
    {
        try
        {
            if (_published is { } beacon)
            {
                _socket.SendTo(beacon, _target);
            }
        }
        catch (Exception failure) when (failure is SocketException or ObjectDisposedException)
        {
        }
    }

    private async Task ReceiveAsync()
    {
        CancellationToken end = _end.Token;
        byte[] buffer = new byte[LargestBeacon];
        var any = new IPEndPoint(IPAddress.Any, 0);
        while (!end.IsCancellationRequested)
        {
            try
            {
                SocketReceiveFromResult result = await _socket.ReceiveFromAsync(buffer, SocketFlags.None, any, end)
                    .ConfigureAwait(false);
                _onReceived(buffer.AsSpan(0, result.ReceivedBytes).ToArray(), (IPEndPoint)result.RemoteEndPoint);
            }
            catch (Exception failure) when (failure is OperationCanceledException or ObjectDisposedException)
            {
                return;
            }
            catch (SocketException) when (!end.IsCancellationRequested)
            {
                // Windows reports that nobody listened at the address of an earlier send.
            }
            catch (SocketException)
            {
                return;
            }
        }
    }
}
