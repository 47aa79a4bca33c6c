using System.Buffers.Binary;
using System.Net;
using System.Net.Sockets;

namespace Broker.TestKit.Processes;

/// <summary>
/// Ports for peers that must be told one. They lie below those that the system hands out by itself, and no test of any suite is given one
/// that another had a while ago: between this and its use nobody else takes it.
/// </summary>
public static class FreePort
{
    private const int First = 10_000;
    private const int Last = 32_767;

    private static readonly string Counter = Path.Combine(Path.GetTempPath(), "broker-tests-next-port");

    /// <summary>A port that nobody has.</summary>
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

    /// <summary>A ZeroMQ address with such a port.</summary>
    public static string NextAddress() => $"tcp://127.0.0.1:{Next()}";

    // The suites are processes of their own.
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
