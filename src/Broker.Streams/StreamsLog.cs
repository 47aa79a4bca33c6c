using System.Globalization;
using Microsoft.Extensions.Logging;

namespace Broker.Streams;

/// <summary>The lines of the log about stores.</summary>
internal sealed partial class StreamsLog(ILogger logger)
{
    internal void Opened(string account, string directory, RecoveryReport found)
    {
        if (found.CutBytes > 0)
        {
            Cut(found.CutBytes, found.CutFile ?? "", account);
        }

        foreach (string notice in found.Notices)
        {
            Noticed(account, notice);
        }

        foreach (string damage in found.Damage)
        {
            Damaged(account, damage);
        }

        if (found.HasUnknownDamage)
        {
            AllDamaged(account);
        }

        Open(account, directory);
    }

    internal void Damaged(string account, string stream, StreamDamage damage)
        => Damaged(account, string.Create(CultureInfo.InvariantCulture, $"file '{damage.File}', offset {damage.Offset}, sequence {damage.Sequence}. The stream '{stream}' is refused"));

    [LoggerMessage(140, LogLevel.Information, "Streams of the account {Account} are in {Directory}")]
    private partial void Open(string account, string directory);

    [LoggerMessage(141, LogLevel.Warning, "Streams: cut {Bytes} bytes behind the last whole record of {File} (account {Account}): nothing in them was acknowledged")]
    private partial void Cut(long bytes, string file, string account);

    [LoggerMessage(142, LogLevel.Warning, "Streams of the account {Account}: {Notice}")]
    private partial void Noticed(string account, string notice);

    [LoggerMessage(143, LogLevel.Error, "Streams of the account {Account} are damaged: {Damage}")]
    private partial void Damaged(string account, string damage);

    [LoggerMessage(144, LogLevel.Error, "Streams of the account {Account} are damaged, and it is not known which: all of them are refused")]
    private partial void AllDamaged(string account);

    [LoggerMessage(145, LogLevel.Error, "An error in the streams")]
    internal partial void Fault(Exception error);
}
