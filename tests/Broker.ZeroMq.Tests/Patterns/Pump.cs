using Broker.ZeroMq.Loops;
using Broker.ZeroMq.Tests.Sockets;

namespace Broker.ZeroMq.Tests.Patterns;

/// <summary>
/// Sends numbered messages as fast as a socket accepts them, and continues when the socket signals room.
/// </summary>
internal sealed class Pump
{
    private readonly DistributingSocket _socket;
    private readonly int _count;
    private readonly Func<int, byte[][]> _make;

    public Pump(Rig rig, DistributingSocket socket, int count, Func<int, byte[][]> make)
    {
        _socket = socket;
        _count = count;
        _make = make;
        socket.OnWritable = Go;
        rig.Loop.Post(Go);
    }

    public int Sent { get; private set; }

    public TaskCompletionSource HeldUp { get; } = new(TaskCreationOptions.RunContinuationsAsynchronously);

    public TaskCompletionSource Done { get; } = new(TaskCreationOptions.RunContinuationsAsynchronously);

    private void Go()
    {
        for (; Sent < _count; Sent++)
        {
            if (!_socket.TrySend(Array.ConvertAll(_make(Sent), frame => new ReadOnlyMemory<byte>(frame))))
            {
                if (Sent > 0)
                {
                    HeldUp.TrySetResult();
                }

                return;
            }
        }

        Done.TrySetResult();
    }
}
