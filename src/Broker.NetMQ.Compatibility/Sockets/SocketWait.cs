using System.Diagnostics;

namespace NetMQ;

/// <summary>A wait for one socket, which costs no processor.</summary>
internal static class SocketWait
{
    /// <summary>Waits until the socket is ready for one of the operations, or until the timeout.</summary>
    /// <exception cref="ObjectDisposedException">The socket was disposed meanwhile.</exception>
    /// <exception cref="TerminatingException">The library was closed meanwhile.</exception>
    internal static PollEvents For(NetMQSocket socket, PollEvents wanted, TimeSpan timeout)
    {
        long start = Stopwatch.GetTimestamp();
        using var signal = new WakeSignal();
        socket.Readiness.Add(signal);
        try
        {
            while (true)
            {
                signal.Reset();
                PollEvents ready = socket.ReadyNow(wanted);
                socket.ThrowIfClosed();
                if (ready != PollEvents.None || !signal.Wait(timeout, start))
                {
                    return ready;
                }
            }
        }
        finally
        {
            socket.Readiness.Remove(signal);
        }
    }
}
