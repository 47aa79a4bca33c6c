using System.Globalization;
using NetMQ;

namespace Broker.NetMQCases;

internal static class Ports
{
    internal static readonly TimeSpan Soon = TimeSpan.FromSeconds(5);

    private static int _names;

    /// <summary>Binds to a free port. Returns the address to connect to.</summary>
    internal static string BindTcp(this NetMQSocket socket)
        => string.Create(CultureInfo.InvariantCulture, $"tcp://127.0.0.1:{socket.BindRandomPort("tcp://127.0.0.1")}");

    /// <summary>Binds a new inproc name. Returns it.</summary>
    internal static string BindInproc(this NetMQSocket socket)
    {
        string address = $"inproc://case-{Interlocked.Increment(ref _names)}";
        socket.Bind(address);
        return address;
    }
}
