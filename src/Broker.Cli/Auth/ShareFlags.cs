using System.CommandLine;
using Broker.Cli.Streams;

namespace Broker.Cli.Auth;

/// <summary>The argument and the flags that name one export or import.</summary>
internal static class ShareFlags
{
    public static Argument<string> Subject() => new("subject") { Description = "Subject in the account that exports it, such as plant.>" };

    public static Option<string?> Type(string otherwise) => StorageFlags.Choice("--type", $"Kind of the subject [default: {otherwise}]", Shares.Stream, Shares.Service);

    public static Option<string?> From(string otherwise = "") => new("--from")
    {
        Description = $"Name or public key of the account that exports the subject{otherwise}",
        HelpName = "name",
    };

    public static Option<string> To(string more = "") => new("--to")
    {
        Description = $"Name or public key of the account that imports the subject{more}",
        HelpName = "name",
        Required = true,
    };
}
