using Broker.Cli.Logging;
using Microsoft.Extensions.Logging;

namespace Broker.Cli.Tests.Logging;

public sealed class LogLineTests
{
    [Theory]
    [InlineData("plain \\ \"text\"", "plain \\ \"text\"")]
    [InlineData("grüße, 世界 🙂", "grüße, 世界 🙂")]
    [InlineData("two\r\nlines\t", @"two\r\nlines\t")]
    [InlineData("\u001b[31m\u0000\u007f\u0085", @"\x1b[31m\x00\x7f\x85")]
    [InlineData("line\u2028paragraph\u2029", @"line\u2028paragraph\u2029")]
    [InlineData("\u202a\u202b\u202c\u202d\u202e", @"\u202a\u202b\u202c\u202d\u202e")]
    [InlineData("\u2066\u2067\u2068\u2069\u200e\u200f\u061c", @"\u2066\u2067\u2068\u2069\u200e\u200f\u061c")]
    [InlineData("soft\u00adhyphen, zero\u200bwidth, mark\ufeff", @"soft\xadhyphen, zero\u200bwidth, mark\ufeff")]
    [InlineData("tag\U000e0041, private\ue000", @"tag\U000e0041, private\ue000")]
    public void What_a_peer_says_neither_ends_the_line_nor_turns_it_nor_drives_the_terminal(string said, string shown)
    {
        Assert.Equal($"[warn] Server: {shown}", LogLine.Format(null, LogLevel.Warning, "Broker.Server", said, exception: null));
        Assert.Equal(
            $"[warn] Server: failed (IOException: {shown})",
            LogLine.Format(null, LogLevel.Warning, "Broker.Server", "failed", new IOException(said)));
    }
}
