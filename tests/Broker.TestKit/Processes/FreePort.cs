using System.Buffers.Binary;
using System.Net;
using System.Net.Sockets;

namespace Broker.TestKit.Processes;

/// <summary>
/// Ports for programs that need a fixed port. The ports are below those that the system assigns, and no test of any
/// suite receives a port that another test received shortly before. So no other program uses the port before the test
/// does.
/// </summary>
public static class FreePort
{
    private const int First = 10_000;
    private const int Last = 32_767;

    private static readonly string Counter = Path.Combine(Path.GetTempPath(), "broker-tests-next-port");

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

    /// <summary>Returns a ZeroMQ address with a free port.</summary>
    public static string NextAddress() => $"tcp://127.0.0.1:{Next()}";

    // The suites run in separate processes, so a file stores the last port.
    private static FileStream Open()
    {
        for (long end = Environment.TickCount64 + (long)Wait.Limit.TotalMilliseconds; ;)
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
