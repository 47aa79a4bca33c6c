using Broker.LoadTest.Driver;

namespace Broker.LoadTest.Rows;

/// <summary>
/// A connection that publishes without a pause to a subject without subscribers while other clients are measured.
/// </summary>
internal sealed class Flood
{
    private const int PayloadSize = 16;
    private const int FramesPerLook = 1_000;

    private readonly RawConnection _connection;
    private readonly FrameBlock _block = new(Frames.Publish("flood", Payloads.Pattern(PayloadSize)));
    private readonly Worker _worker;
    private volatile bool _stopped;

    private Flood(Session session)
    {
        _connection = session.Dial();

        // The measurement begins after the first blocks of the driver and the server.
        _block.Send(_connection, FramesPerLook);
        _connection.Fence();
        _worker = session.Start("flood", Run);
    }

    public static Flood Start(Session session) => new(session);

    /// <summary>Stops publishing and returns when the server has received everything; throws if it has not.</summary>
    public void Stop()
    {
        _stopped = true;
        _worker.Join();
        _connection.Fence();
    }

    private void Run()
    {
        while (!_stopped)
        {
            _block.Send(_connection, FramesPerLook);
        }
    }
}
