using System.Buffers.Binary;
using System.Net;
using System.Net.Sockets;

namespace Broker.TestKit.Processes;

/// <summary>
/// The order in which tests and benchmarks use ports. The ports are below those that the system assigns, and no test
/// and no benchmark of this user receives a port that another one received shortly before. So no other program uses
/// the port before the caller does. The benchmarks compile this file too.
/// </summary>
internal static class PortSequence
{
    private const int First = 10_000;
    private const int Last = 32_767;

    private static readonly TimeSpan WaitLimit = TimeSpan.FromMinutes(1);
    private static readonly string Counter = Path.Combine(Path.GetTempPath(), $"broker-next-port-{Environment.UserName}");

    /// <summary>Returns a free port.</summary>
    public static int Next()
    {
        using FileStream counter = Open();
        Span<byte> number = stackalloc byte[sizeof(int)];
        int next = counter.ReadAtLeast(number, number.Length, throwOnEndOfStream: false) == number.Length ? BinaryPrimitives.ReadInt32LittleEndian(number) : First;
        int port;
        do
        {
            port = next is >= First and <= Last ? next : First;
            next = port + 1;
        }
        while (!IsFree(port));

        BinaryPrimitives.WriteInt32LittleEndian(number, next);
        counter.Position = 0;
        counter.Write(number);
        return port;
    }

    // The suites run in separate processes, so a file stores the last port.
    private static FileStream Open()
    {
        for (long end = Environment.TickCount64 + (long)WaitLimit.TotalMilliseconds; ;)
        {
            try
            {
                return new FileStream(Counter, FileMode.OpenOrCreate, FileAccess.ReadWrite, FileShare.None);
            }
            catch (IOException) when (Environment.TickCount64 < end)
            {
                Thread.Sleep(1);
            }
        }
    }

    private static bool IsFree(int port)
    {
        using var listener = new Socket(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp);
        try
        {
            listener.Bind(new IPEndPoint(IPAddress.Any, port));
            return true;
        }
        catch (SocketException)
        {
            return false;
        }
    }
}
