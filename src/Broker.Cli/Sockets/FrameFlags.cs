using System.CommandLine;
using Broker.Cli.Shell;

namespace Broker.Cli.Sockets;

/// <summary>The argument and flags that give the frames of a message and the number of times that it is sent.</summary>
internal sealed class FrameFlags
{
    private readonly Argument<string[]> _frames = new("frame")
    {
        Description = "Frames of the message, one or more; {number} becomes the number of the message",
        Arity = ArgumentArity.OneOrMore,
    };

    private readonly Option<long?> _count = CommonOptions.Count("Number of times to send the message");
    private readonly Option<bool> _hex = CommonOptions.Hex("Read frames as hexadecimal digits");

    public void AddTo(Command command)
    {
        command.Arguments.Add(_frames);
        command.Options.Add(_count);
        command.Options.Add(_hex);
    }

    /// <summary>Returns the messages in order.</summary>
    /// <exception cref="UsageException">A frame must consist of pairs of hexadecimal digits, but it does
    /// not.</exception>
    public IEnumerable<ReadOnlyMemory<byte>[]> Messages(ParseResult flags)
    {
        string[] given = flags.GetRequiredValue(_frames);
        bool isHex = flags.GetValue(_hex);
        ReadOnlyMemory<byte>[] frames =
            [.. given.Select(f => (ReadOnlyMemory<byte>)BodyText.Parse(f, isHex))];
        BodyTemplate[]? templates = !isHex && given.Any(f => f.Contains("{number}", StringComparison.Ordinal))
            ? [.. given.Select(f => new BodyTemplate(f))]
            : null;
        return Repeat(frames, templates, flags.GetValue(_count) ?? 1);
    }

    private static IEnumerable<ReadOnlyMemory<byte>[]> Repeat(ReadOnlyMemory<byte>[] frames, BodyTemplate[]? templates, long count)
    {
        for (long number = 1; number <= count; number++)
        {
            long current = number;
            yield return templates is null
                ? frames
                : [.. templates.Select(t => (ReadOnlyMemory<byte>)t.Fill("{body}"u8, "{subject}", current))];
        }
    }
}
