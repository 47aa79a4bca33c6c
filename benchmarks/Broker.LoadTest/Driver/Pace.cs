using System.Diagnostics;

namespace Broker.LoadTest.Driver;

/// <summary>A steady reading speed, counted from the first received bytes.</summary>
internal sealed class Pace(double bytesPerSecond)
{
    private long _from;

    /// <summary>Sleeps if more bytes than this speed allows have been received.</summary>
    public void Wait(long received)
    {
        if (_from == 0)
        {
            _from = Stopwatch.GetTimestamp();
        }

        TimeSpan ahead = TimeSpan.FromSeconds(received / bytesPerSecond) - Stopwatch.GetElapsedTime(_from);
        if (ahead > TimeSpan.FromMilliseconds(1))
        {
            Thread.Sleep(ahead);
        }
    }
}
