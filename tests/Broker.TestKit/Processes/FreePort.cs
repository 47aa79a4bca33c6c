using System.Net;
using System.Net.Sockets;

namespace Broker.TestKit.Processes;

/// <summary>Ports for peers that must be told one.</summary>
public static class FreePort
{
    /// <summary>A port that was free a moment ago, as the system hands them out.</summary>
    public static int Next()
    {
        using var listener = new Socket(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp);
        listener.Bind(new IPEndPoint(IPAddress.Loopback, 0));
        return ((IPEndPoint)listener.LocalEndPoint!).Port;
    }

    /// <summary>A ZeroMQ address with such a port.</summary>
    public static string NextAddress() => $"tcp://127.0.0.1:{Next()}";
}
