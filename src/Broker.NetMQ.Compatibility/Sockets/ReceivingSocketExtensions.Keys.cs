using System.Diagnostics;
using System.Diagnostics.CodeAnalysis;

namespace NetMQ;

public static partial class ReceivingSocketExtensions
{
    private const long SignalMask = 0x7FFFFFFFFFFFFF00;
    private const long SignalBits = 0x7766554433221100;

    /// <summary>Receives messages until one is a signal, and drops the others.</summary>
    /// <returns>True for success, false for failure.</returns>
    public static bool ReceiveSignal(this IReceivingSocket socket)
        => TryReceiveSignal(socket, SendReceiveConstants.InfiniteTimeout, out bool signal)
            ? signal
            : throw new ObjectDisposedException(socket.GetType().Name);

    /// <summary>Receives the messages that are there until one is a signal, and drops the others.</summary>
    /// <returns>False if there was no signal.</returns>
    public static bool TryReceiveSignal(this IReceivingSocket socket, out bool signal)
        => TryReceiveSignal(socket, TimeSpan.Zero, out signal);

    /// <summary>Receives messages until one is a signal, and drops the others.</summary>
    /// <param name="socket">The socket.</param>
    /// <param name="timeout">How long to wait.</param>
    /// <param name="signal">True for success, false for failure.</param>
    /// <returns>False if no signal arrived within the timeout.</returns>
    public static bool TryReceiveSignal(this IReceivingSocket socket, TimeSpan timeout, out bool signal)
    {
        long start = Stopwatch.GetTimestamp();
        TimeSpan left = timeout;
        while (socket.TryReceiveFrameBytes(left, out byte[]? bytes, out bool more))
        {
            if (!more && bytes.Length == sizeof(long))
            {
                long value = NetworkOrderBitsConverter.ToInt64(bytes);
                if ((value & SignalMask) == SignalBits)
                {
                    signal = (value & byte.MaxValue) == 0;
                    return true;
                }
            }

            if (more)
            {
                socket.SkipMultipartMessage();
            }

            left = timeout <= TimeSpan.Zero ? timeout : Left(timeout, start);
        }

        signal = false;
        return false;
    }

    /// <summary>Receives a routing id.</summary>
    public static RoutingKey ReceiveRoutingKey(this IReceivingSocket socket) => ReceiveRoutingKey(socket, out _);

    /// <summary>Receives a routing id.</summary>
    public static RoutingKey ReceiveRoutingKey(this IReceivingSocket socket, out bool more)
        => new(socket.ReceiveFrameBytes(out more));

    /// <summary>Receives a routing id.</summary>
    public static bool TryReceiveRoutingKey(this IReceivingSocket socket, ref RoutingKey routingKey)
        => TryReceiveRoutingKey(socket, TimeSpan.Zero, ref routingKey, out _);

    /// <summary>Receives a routing id.</summary>
    public static bool TryReceiveRoutingKey(this IReceivingSocket socket, ref RoutingKey routingKey, out bool more)
        => TryReceiveRoutingKey(socket, TimeSpan.Zero, ref routingKey, out more);

    /// <summary>Receives a routing id.</summary>
    public static bool TryReceiveRoutingKey(
        this IReceivingSocket socket, TimeSpan timeout, ref RoutingKey routingKey)
        => TryReceiveRoutingKey(socket, timeout, ref routingKey, out _);

    /// <summary>Receives a routing id.</summary>
    public static bool TryReceiveRoutingKey(
        this IReceivingSocket socket, TimeSpan timeout, ref RoutingKey routingKey, out bool more)
    {
        if (!socket.TryReceiveFrameBytes(timeout, out byte[]? bytes, out more))
        {
            return false;
        }

        routingKey = new RoutingKey(bytes);
        return true;
    }

    /// <summary>Receives routing ids and the empty frame that ends them.</summary>
    public static IEnumerable<RoutingKey> ReceiveRoutingKeys(this IReceivingSocket socket)
        => TryReceiveRoutingKeys(
            socket, SendReceiveConstants.InfiniteTimeout, out IEnumerable<RoutingKey>? keys)
            ? keys
            : throw new ObjectDisposedException(socket.GetType().Name);

    /// <summary>Receives routing ids and the empty frame that ends them.</summary>
    public static bool TryReceiveRoutingKeys(
        this IReceivingSocket socket, [NotNullWhen(true)] out IEnumerable<RoutingKey>? routingKeys)
        => TryReceiveRoutingKeys(socket, TimeSpan.Zero, out routingKeys);

    /// <summary>Receives routing ids and the empty frame that ends them.</summary>
    public static bool TryReceiveRoutingKeys(
        this IReceivingSocket socket, TimeSpan timeout, [NotNullWhen(true)] out IEnumerable<RoutingKey>? routingKeys)
    {
        routingKeys = null;
        if (!socket.TryReceiveFrameBytes(timeout, out byte[]? bytes, out bool more))
        {
            return false;
        }

        var keys = new List<RoutingKey>();
        while (more && bytes.Length > 0)
        {
            keys.Add(new RoutingKey(bytes));
            bytes = socket.ReceiveFrameBytes(out more);
        }

        routingKeys = keys;
        return true;
    }

    private static TimeSpan Left(TimeSpan timeout, long start)
    {
        TimeSpan left = timeout - Stopwatch.GetElapsedTime(start);
        return left > TimeSpan.Zero ? left : TimeSpan.Zero;
    }
}
