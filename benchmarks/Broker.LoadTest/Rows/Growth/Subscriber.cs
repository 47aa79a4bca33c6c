using System.Text;
using Broker.LoadTest.Driver;

namespace Broker.LoadTest.Rows.Growth;

/// <summary>Creates the subscriptions of a crowd, many with each send.</summary>
internal static class Subscriber
{
    private const int PerSend = 2_000;

    // A server that needs half a minute for a million subscriptions is slow, but it works.
    private const int PerFence = 20_000;

    /// <summary>
    /// Creates the subscriptions from <paramref name="first"/> up to <paramref name="end"/> and returns when the server
    /// has handled them.
    /// </summary>
    public static void Subscribe(RawConnection connection, Crowd crowd, int first, int end)
    {
        var lines = new StringBuilder();
        for (int i = first; i < end; i++)
        {
            lines.Append("SUB ").Append(crowd.Filter(i)).Append(' ').Append(Crowd.Sid(i)).Append("\r\n");
            if ((i - first) % PerSend == PerSend - 1)
            {
                Flush(connection, lines);
            }

            if ((i - first) % PerFence == PerFence - 1)
            {
                connection.Fence();
            }
        }

        Flush(connection, lines);
        connection.Fence();
    }

    private static void Flush(RawConnection connection, StringBuilder lines)
    {
        connection.Send(Encoding.ASCII.GetBytes(lines.ToString()));
        lines.Clear();
    }
}
