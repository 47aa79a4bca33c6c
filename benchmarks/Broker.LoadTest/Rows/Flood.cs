using Broker.LoadTest.Driver;

namespace Broker.LoadTest.Rows;

/// <summary>A connection that publishes without a pause, to a subject that nobody has, for as long as others are measured.</summary>
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

        // The driver's and the server's first blocks are past before anybody is measured beside them.
        _block.Send(_connection, FramesPerLook);
        _connection.Fence();
        _worker = session.Start("flood", Run);
    }

    public static Flood Start(Session session) => new(session);

    /// <summary>Returns when the server has taken everything in; throws if it has not.</summary>
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
