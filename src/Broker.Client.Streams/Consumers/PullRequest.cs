using System.Globalization;
using System.Text;

namespace Broker.Client.Streams;

/// <summary>The body of a request for messages.</summary>
internal static class PullRequest
{
    private const int NanosecondsPerTick = 100;

    internal static byte[] Create(ConsumptionPlan plan, long batch, long bytes)
    {
        var text = new StringBuilder();
        text.Append(CultureInfo.InvariantCulture, $"{{\"batch\":{batch},\"max_bytes\":{bytes}");
        if (plan.NoWait)
        {
            text.Append(",\"no_wait\":true");
        }
        else
        {
            text.Append(CultureInfo.InvariantCulture, $",\"expires\":{plan.Expires.Ticks * NanosecondsPerTick}");
            if (plan.Heartbeat > TimeSpan.Zero)
            {
                text.Append(CultureInfo.InvariantCulture, $",\"idle_heartbeat\":{plan.Heartbeat.Ticks * NanosecondsPerTick}");
            }
        }

        return Encoding.UTF8.GetBytes(text.Append('}').ToString());
    }
}
