using System.CommandLine;
using Broker.Cli.Shell;
using Broker.Cli.Streams;

namespace Broker.Cli.Buckets;

/// <summary>The arguments of the commands about a key of a bucket.</summary>
internal sealed class BucketArguments
{
    private readonly Argument<string> _bucket = new("bucket") { Description = "Name of the bucket" };
    private readonly Argument<string> _key = new("key") { Description = "The key" };
    private readonly Argument<string?> _value = new("value") { Description = "The value [default: all of standard input]", Arity = ArgumentArity.ZeroOrOne };
    private readonly Option<bool> _hex = CommonOptions.Hex("Read the value as hexadecimal digits");

    public Command AddBucketTo(Command command) => command.With(_bucket);

    public Command AddKeyTo(Command command) => command.With(_bucket, _key);

    public Command AddValueTo(Command command) => command.With(_bucket, _key, _value, _hex);

    public string Bucket(ParseResult flags) => flags.GetRequiredValue(_bucket);

    public string Key(ParseResult flags) => flags.GetRequiredValue(_key);

    /// <summary>Returns the bytes of the value: of the argument, or else all of standard input.</summary>
    /// <exception cref="UsageException">There is no value, or it is invalid.</exception>
    public async Task<byte[]> ValueAsync(ShellStreams shell, ParseResult flags, CancellationToken stop)
    {
        if (flags.GetValue(_value) is { } given)
        {
            return BodyText.Parse(given, flags.GetValue(_hex));
        }

        if (!shell.IsInputRedirected)
        {
            throw new UsageException("a value is missing: give it as an argument or on standard input");
        }

        byte[] read = await StandardInput.ReadAllAsync(shell.Input, stop);
        return flags.GetValue(_hex) ? BodyText.Parse(System.Text.Encoding.UTF8.GetString(read).Trim(), isHex: true) : read;
    }
}
