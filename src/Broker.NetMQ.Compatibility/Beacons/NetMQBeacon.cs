using System.Net;
using System.Text;

namespace NetMQ;

/// <summary>
/// Finds programs in the local network: it sends a short datagram, a beacon, to all hosts again and again, and receives
/// the beacons of others.
/// </summary>
/// <remarks>
/// At most 1,000 received beacons wait for the program; later ones are dropped. Beacons are not protected: any program
/// in the network can send and read them.
/// </remarks>
public sealed class NetMQBeacon : IDisposable, ISocketPollable
{
    private const int MostWaiting = 1000;
    private static readonly TimeSpan DefaultInterval = TimeSpan.FromSeconds(1);

    private readonly NetMQQueue<BeaconMessage> _received = new();
    private readonly NetMQBeaconEventArgs _args;
    private BeaconSocket? _socket;
    private EventHandler<NetMQBeaconEventArgs>? _receiveReady;
    private volatile byte[]? _filter;

    /// <summary>Creates a beacon, which is configured before its first use.</summary>
    public NetMQBeacon()
        => _args = new NetMQBeaconEventArgs(this);

    /// <summary>Raised on a poller's thread when a beacon can be received.</summary>
    public event EventHandler<NetMQBeaconEventArgs>? ReceiveReady
    {
        add
        {
            if (_receiveReady is null)
            {
                _received.ReceiveReady += OnReady;
            }

            _receiveReady += value;
        }

        remove
        {
            _receiveReady -= value;
            if (_receiveReady is null)
            {
                _received.ReceiveReady -= OnReady;
            }
        }
    }

    /// <summary>The name of this host on the interface; null before the configuration.</summary>
    public string? HostName { get; private set; }

    /// <summary>The address of the interface; null before the configuration.</summary>
    public string? BoundTo { get; private set; }

    /// <inheritdoc/>
    public bool IsDisposed => _received.IsDisposed;

    NetMQSocket ISocketPollable.Socket => ((ISocketPollable)_received).Socket;

    /// <summary>Uses all interfaces.</summary>
    /// <param name="port">The UDP port, which is the same for all programs.</param>
    public void ConfigureAllInterfaces(int port) => Configure(port, "*");

    /// <summary>Uses one interface.</summary>
    /// <param name="port">The UDP port, which is the same for all programs.</param>
    /// <param name="interfaceName">
    /// <c>loopback</c>, the IPv4 address of an interface, <c>*</c> for all, or an empty text for the first interface;
    /// if there is none but loopback, loopback.
    /// </param>
    /// <exception cref="ArgumentException">No interface has the address.</exception>
    /// <exception cref="System.Net.Sockets.SocketException">The port cannot be bound.</exception>
    public void Configure(int port, string interfaceName = "")
    {
        ArgumentNullException.ThrowIfNull(interfaceName);
        ObjectDisposedException.ThrowIf(IsDisposed, this);
        InterfaceItem item = Choose(interfaceName);
        var socket = new BeaconSocket(
            new IPEndPoint(OperatingSystem.IsWindows() ? item.Address : BindingOf(item), port),
            new IPEndPoint(item.BroadcastAddress, port),
            OnReceived);
        Interlocked.Exchange(ref _socket, socket)?.Dispose();
        BoundTo = item.Address.ToString();
        HostName = item.Address.Equals(IPAddress.Any) ? "" : BeaconInterfaces.HostOf(item.Address);
    }

    /// <summary>Publishes a string at each interval.</summary>
    /// <param name="transmit">The beacon.</param>
    /// <param name="interval">The time between two datagrams.</param>
    /// <param name="encoding">The encoding; null for UTF-8.</param>
    /// <exception cref="InvalidOperationException">The object is not configured.</exception>
    public void Publish(string transmit, TimeSpan interval, Encoding? encoding = null)
        => Publish((encoding ?? SendReceiveConstants.DefaultEncoding).GetBytes(transmit), interval);

    /// <summary>Publishes bytes at each interval.</summary>
    /// <exception cref="InvalidOperationException">The object is not configured.</exception>
    public void Publish(byte[] transmit, TimeSpan interval)
    {
        ArgumentNullException.ThrowIfNull(transmit);
        Socket.Publish(transmit, interval);
    }

    /// <summary>Publishes a string each second.</summary>
    /// <param name="transmit">The beacon.</param>
    /// <param name="encoding">The encoding; null for UTF-8.</param>
    /// <exception cref="InvalidOperationException">The object is not configured.</exception>
    public void Publish(string transmit, Encoding? encoding = null) => Publish(transmit, DefaultInterval, encoding);

    /// <summary>Publishes bytes each second.</summary>
    /// <exception cref="InvalidOperationException">The object is not configured.</exception>
    public void Publish(byte[] transmit) => Publish(transmit, DefaultInterval);

    /// <summary>Publishes no more.</summary>
    public void Silence() => _socket?.Silence();

    /// <summary>Receives the beacons that begin with a text from now on, and no others.</summary>
    public void Subscribe(string filter) => _filter = SendReceiveConstants.DefaultEncoding.GetBytes(filter);

    /// <summary>Receives no beacons from now on.</summary>
    public void Unsubscribe() => _filter = null;

    /// <summary>Receives a beacon, and waits until there is one.</summary>
    /// <exception cref="ObjectDisposedException">The object was disposed.</exception>
    public BeaconMessage Receive() => _received.Dequeue();

    /// <summary>Receives a beacon if there is one in time.</summary>
    public bool TryReceive(TimeSpan timeout, out BeaconMessage message) => _received.TryDequeue(out message, timeout);

    /// <summary>Closes the beacon.</summary>
    public void Dispose()
    {
        Interlocked.Exchange(ref _socket, null)?.Dispose();
        _received.Dispose();
    }

    private BeaconSocket Socket => _socket
        ?? throw new InvalidOperationException("The beacon has no port: call Configure before.");

    // On Unix a socket that is bound to an address of its own gets no broadcasts.
    private static IPAddress BindingOf(InterfaceItem item)
        => IPAddress.IsLoopback(item.Address) ? item.Address : IPAddress.Any;

    private static InterfaceItem Choose(string name)
    {
        var loopback = new InterfaceItem(IPAddress.Loopback, IPAddress.Loopback);
        List<InterfaceItem> all = BeaconInterfaces.Find();
        return name switch
        {
            "*" => new InterfaceItem(IPAddress.Any, IPAddress.Broadcast),
            "loopback" => loopback,
            "" => all.Count > 0 ? all[0] : loopback,
            _ => all.Find(item => string.Equals(item.Address.ToString(), name, StringComparison.Ordinal))
                ?? throw new ArgumentException($"No interface has the IPv4 address {name}.", nameof(name)),
        };
    }

    private void OnReady(object? sender, NetMQQueueEventArgs<BeaconMessage> e) => _receiveReady?.Invoke(this, _args);

    private void OnReceived(byte[] beacon, IPEndPoint peer)
    {
        if (_filter is { } filter && beacon.AsSpan().StartsWith(filter) && _socket?.IsOwn(beacon) != true
            && !_received.IsDisposed && _received.Count < MostWaiting)
        {
            Enqueue(new BeaconMessage(beacon, peer));
        }
    }

    private void Enqueue(BeaconMessage message)
    {
        try
        {
            _received.Enqueue(message);
        }
        catch (ObjectDisposedException)
        {
            // The object was disposed meanwhile.
        }
    }
}
