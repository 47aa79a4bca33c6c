using System.Runtime.InteropServices;

namespace Broker.Benchmarks.Interop;

/// <summary>
/// Receives as the original binding did at first. Each call creates an object for the message and one for its memory,
/// initializes and closes a native message, and uses a closure that is called again after an interruption.
/// </summary>
internal static class MessageObjects
{
    internal static byte[] Receive(nint socket)
    {
        using var message = new Message();
        int size = UntilNotInterrupted(() => Libzmq.ReceiveMessage(message.Pointer, socket, 0));
        Libzmq.Require(size);
        byte[] body = new byte[size];
        Marshal.Copy(Libzmq.MessageData(message.Pointer), body, 0, size);
        return body;
    }

    internal static int UntilNotInterrupted(Func<int> call)
    {
        int result;
        do
        {
            result = call();
        }
        while (result < 0 && Libzmq.Error() == Libzmq.Interrupted);

        return result;
    }

    private sealed class Message : IDisposable
    {
        private readonly NativeMemory _memory = new(Libzmq.MessageSize);

        internal Message() => Libzmq.Require(Libzmq.InitMessage(Pointer));

        internal nint Pointer => _memory.Pointer;

        public void Dispose()
        {
            _ = Libzmq.CloseMessage(Pointer);
            _memory.Dispose();
        }
    }

    private sealed class NativeMemory(int size) : IDisposable
    {
        internal nint Pointer { get; } = Marshal.AllocHGlobal(size);

        public void Dispose() => Marshal.FreeHGlobal(Pointer);
    }
}
