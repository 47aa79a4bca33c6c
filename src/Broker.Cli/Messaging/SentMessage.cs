using System.CommandLine;

namespace Broker.Cli.Messaging;

/// <summary>The arguments and flags of a message that a command sends: its subject, its body and its headers.</summary>
/// <param name="subject">The description of the subject in the help.</param>
/// <param name="body">The description of the body in the help.</param>
internal sealed class SentMessage(string subject, string body)
{
    private readonly Argument<string> _subject = new("subject") { Description = subject };
    private readonly Argument<string?> _body = new("body") { Description = body, Arity = ArgumentArity.ZeroOrOne };
    private readonly Option<string[]> _headers = HeaderFlag.Create();

    /// <summary>Adds the arguments and flags of the message to a command, and then other flags.</summary>
    public void AddTo(Command command, params Option[] others)
    {
        command.Arguments.Add(_subject);
        command.Arguments.Add(_body);
        command.Options.Add(_headers);
        foreach (Option option in others)
        {
            command.Options.Add(option);
        }
    }

    public string Subject(ParseResult flags) => flags.GetRequiredValue(_subject);

    /// <summary>Returns the body as it was given, or null if there is none.</summary>
    public string? Body(ParseResult flags) => flags.GetValue(_body);

    /// <summary>Returns the encoded headers, or empty memory if there are none.</summary>
    public ReadOnlyMemory<byte> Headers(ParseResult flags) => HeaderFlag.Read(flags, _headers);
}
