using Zmq = Broker.ZeroMq;

namespace NetMQ.Sockets;

/// <summary>PAIR: exchanges messages with one peer.</summary>
public class PairSocket : NetMQSocket
{
    private static int _pairs;

    /// <summary>Creates a socket.</summary>
    /// <param name="connectionString">
    /// Addresses, separated by commas. <c>@</c> before an address binds it, <c>&gt;</c> connects to it; without either
    /// the socket connects.
    /// </param>
    public PairSocket(string? connectionString = null)
        : base(connectionString, DefaultAction.Connect)
    {
    }

    /// <summary>Creates two sockets that are connected to each other.</summary>
    public static void CreateSocketPair(out PairSocket socket1, out PairSocket socket2)
        => CreateSocketPair(out socket1, out socket2, static _ => { }, static _ => { });

    /// <summary>Creates two sockets that are connected to each other.</summary>
    /// <param name="socket1">The socket that binds.</param>
    /// <param name="socket2">The socket that connects.</param>
    /// <param name="initSocket1">Sets options of the first socket.</param>
    /// <param name="initSocket2">Sets options of the second socket.</param>
    public static void CreateSocketPair(
        out PairSocket socket1, out PairSocket socket2, Action<PairSocket> initSocket1, Action<PairSocket> initSocket2)
    {
        ArgumentNullException.ThrowIfNull(initSocket1);
        ArgumentNullException.ThrowIfNull(initSocket2);
        string address = $"inproc://pair-of-sockets-{Interlocked.Increment(ref _pairs)}";
        socket1 = new PairSocket();
        socket2 = new PairSocket();
        initSocket1(socket1);
        initSocket2(socket2);
        socket1.Bind(address);
        socket2.Connect(address);
    }

    internal override StartedSocket Create(Zmq.ZeroMqContext context)
        => StartedSocket.SendsAndReceives(new Zmq.PairSocket(Settings.Fill(new Zmq.ZeroMqSocketOptions()), context));
}
