using System.Runtime.InteropServices;

namespace Broker.Benchmarks.Interop;

/// <summary>The functions of libzmq that a binding needs to receive.</summary>
internal static unsafe partial class Libzmq
{
    /// <summary>The category of the benchmarks that need libzmq.</summary>
    internal const string Category = "libzmq";

    internal const int Pull = 7;
    internal const int Push = 8;
    internal const int DoNotWait = 1;
    internal const int Interrupted = 4;
    internal const int SendHighWaterMark = 23;
    internal const int ReceiveHighWaterMark = 24;
    internal const int ReceiveTimeout = 27;
    internal const int MessageSize = 64;
    internal const short PollIn = 1;

    private const string Library = "libzmq.so.5";

    /// <summary>Why libzmq is not available; null if it is.</summary>
    internal static string? Missing { get; } = !OperatingSystem.IsLinux() ? "libzmq is compared with on Linux only"
        : NativeLibrary.TryLoad(Library, out _) ? null : "libzmq is not installed";

    [LibraryImport(Library, EntryPoint = "zmq_ctx_new")]
    internal static partial nint NewContext();

    [LibraryImport(Library, EntryPoint = "zmq_ctx_term")]
    internal static partial int EndContext(nint context);

    [LibraryImport(Library, EntryPoint = "zmq_socket")]
    internal static partial nint OpenSocket(nint context, int type);

    [LibraryImport(Library, EntryPoint = "zmq_close")]
    internal static partial int CloseSocket(nint socket);

    [LibraryImport(Library, EntryPoint = "zmq_bind", StringMarshalling = StringMarshalling.Utf8)]
    internal static partial int Bind(nint socket, string endpoint);

    [LibraryImport(Library, EntryPoint = "zmq_connect", StringMarshalling = StringMarshalling.Utf8)]
    internal static partial int Connect(nint socket, string endpoint);

    [LibraryImport(Library, EntryPoint = "zmq_setsockopt")]
    internal static partial int SetOption(nint socket, int option, int* value, nuint size);

    [LibraryImport(Library, EntryPoint = "zmq_errno")]
    internal static partial int Error();

    [LibraryImport(Library, EntryPoint = "zmq_send")]
    internal static partial int Send(nint socket, byte* body, nuint size, int flags);

    [LibraryImport(Library, EntryPoint = "zmq_recv")]
    internal static partial int Receive(nint socket, byte* buffer, nuint size, int flags);

    [LibraryImport(Library, EntryPoint = "zmq_msg_init")]
    internal static partial int InitMessage(nint message);

    [LibraryImport(Library, EntryPoint = "zmq_msg_recv")]
    internal static partial int ReceiveMessage(nint message, nint socket, int flags);

    [LibraryImport(Library, EntryPoint = "zmq_msg_data")]
    internal static partial nint MessageData(nint message);

    [LibraryImport(Library, EntryPoint = "zmq_msg_close")]
    internal static partial int CloseMessage(nint message);

    [LibraryImport(Library, EntryPoint = "zmq_poll")]
    internal static partial int Poll(PollItem* items, int count, nint milliseconds);

    internal static void Set(nint socket, int option, int value) => Require(SetOption(socket, option, &value, sizeof(int)));

    internal static void Require(int result)
    {
        if (result < 0)
        {
            throw new InvalidOperationException($"libzmq failed with error {Error()}.");
        }
    }

    [StructLayout(LayoutKind.Sequential)]
    internal struct PollItem
    {
        internal nint Socket;
        internal int Descriptor;
        internal short Events;
        internal short Ready;
    }
}
