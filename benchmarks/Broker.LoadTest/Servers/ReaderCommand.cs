using System.Buffers.Binary;
using System.CommandLine;
using System.Diagnostics;
using System.Globalization;
using System.Net;
using System.Net.Sockets;
using System.Text;
using Broker.LoadTest.Driver;

namespace Broker.LoadTest.Servers;

/// <summary>Runs this program as a subscriber, for <see cref="SuspendedReader"/>.</summary>
internal static class ReaderCommand
{
    /// <summary>The line that the program writes when it has subscribed.</summary>
    public const string Ready = "ready";

    private const string Name = "reader";
    private const string Port = "--port";
    private const string Subject = "--subject";

    // TCP_MAXSEG. The socket buffers of both kernels are a multiple of the segment size. The smallest segments are
    // used, so that after the process is stopped the server must queue the messages for it.
    private const int TcpLevel = 6;
    private const int MaxSegment = 2;
    private const int SmallSegment = 536;
    private const int SmallBuffer = 4096;

    public static Command Create()
    {
        var port = new Option<int>(Port) { Required = true };
        var subject = new Option<string>(Subject) { Required = true };
        var command = new Command(Name, "Subscribes and reads until the process is stopped.") { port, subject };
        command.Hidden = true;
        command.SetAction(result => Run(result.GetRequiredValue(port), result.GetRequiredValue(subject)));
        return command;
    }

    public static ProcessStartInfo StartInfo(int port, string subject) => new(
        Environment.GetEnvironmentVariable("DOTNET_HOST_PATH") is { Length: > 0 } path ? path : "dotnet",
        [
            Path.Combine(AppContext.BaseDirectory, "Broker.LoadTest.dll"), Name,
            Port, port.ToString(CultureInfo.InvariantCulture), Subject, subject,
        ])
    {
        RedirectStandardOutput = true,
    };

    private static void Run(int port, string subject)
    {
        using var socket = new Socket(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp) { NoDelay = true, ReceiveBufferSize = SmallBuffer };
        Span<byte> size = stackalloc byte[sizeof(int)];
        BinaryPrimitives.WriteInt32LittleEndian(size, SmallSegment);
        socket.SetRawSocketOption(TcpLevel, MaxSegment, size);
        socket.Connect(IPAddress.Loopback, port);
        byte[] buffer = new byte[SmallBuffer];
        socket.Send(Wire.Hello);
        socket.Send(Frames.Subscribe(subject, null, 1));
        socket.Send(Wire.Ping);
        // Two PONGs arrive, because Hello contains a PING too.
        var heard = new StringBuilder();
        while (heard.ToString().Split("PONG\r\n").Length <= 2)
        {
            int got = socket.Receive(buffer);
            if (got == 0)
            {
                return;
            }

            heard.Append(Encoding.ASCII.GetString(buffer, 0, got));
        }

        Console.WriteLine(Ready);
        while (socket.Receive(buffer) > 0)
        {
            // Reads until the process is stopped.
        }
    }
}
