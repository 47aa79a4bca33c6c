using System.Text;

namespace NetMQ;

/// <summary>Values that the methods of sockets use if the caller gives none.</summary>
public static class SendReceiveConstants
{
    /// <summary>The encoding of strings: UTF-8.</summary>
    public static readonly Encoding DefaultEncoding = Encoding.UTF8;

    /// <summary>The timeout without a limit. Every negative timeout is one.</summary>
    public static readonly TimeSpan InfiniteTimeout = TimeSpan.FromMilliseconds(-1);
}
