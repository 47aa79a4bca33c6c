using Broker.Cryptography;

namespace Broker.Cli.Auth;

/// <summary>
/// The folder of <c>broker auth</c>. <c>operator.jwt</c> is the operator, <c>accounts/A….jwt</c> an account,
/// <c>users/A…/U….jwt</c> a user of this account, and <c>keys/….seed</c> the seed of a key. File names are public keys,
/// so that a name may have any characters, and so that <c>accounts</c> is like the folder of a resolver.
/// </summary>
internal sealed class AuthStore : IDisposable
{
    public const string Variable = "BROKER_AUTH";
    public const string Default = "auth";

    private const string TokenEnd = ".jwt";
    private const string SeedEnd = ".seed";

    private readonly FileStream? _lock;

    private AuthStore(string folder, FileStream? held, Token? operatorToken)
    {
        Folder = folder;
        _lock = held;
        Operator = operatorToken!;
    }

    public string Folder { get; }

    /// <summary>The operator. It is set before any other member of a new store is used.</summary>
    public Token Operator { get; private set; }

    public bool IsStrict => Token.IsTrue(Operator.Nats, "strict_signing_key_usage");

    private string OperatorFile => FileOfOperator(Folder);

    private string Accounts => Path.Combine(Folder, "accounts");

    private string Keys => Path.Combine(Folder, "keys");

    /// <summary>Opens the store of the operator.</summary>
    /// <param name="folder">The folder.</param>
    /// <param name="changes">Whether the command changes the store; then no other one can do it at the same time.</param>
    /// <exception cref="AuthException">There is no store, or it cannot be used.</exception>
    public static AuthStore Open(string folder, bool changes)
    {
        if (!File.Exists(FileOfOperator(folder)))
        {
            throw new AuthException($"there is no operator in the folder {folder}; 'broker auth init NAME' creates one, and --store names another folder");
        }

        FileStream? held = changes ? Hold(folder) : null;
        try
        {
            return new AuthStore(folder, held, AuthFile.ReadToken(FileOfOperator(folder)));
        }
        catch
        {
            held?.Dispose();
            throw;
        }
    }

    /// <summary>Creates a store without an operator.</summary>
    /// <exception cref="AuthException">The folder has an operator already, or cannot be written.</exception>
    public static AuthStore Create(string folder)
    {
        if (File.Exists(FileOfOperator(folder)))
        {
            throw new AuthException($"the folder {folder} has the operator {AuthFile.ReadToken(FileOfOperator(folder)).Name} already; --store names another folder");
        }

        // The seeds must not get into a repository by accident.
        AuthFile.Write(Path.Combine(folder, ".gitignore"), "*\n");
        return new AuthStore(folder, Hold(folder), null);
    }

    public void Dispose() => _lock?.Dispose();

    /// <summary>Returns the accounts, ordered by their names.</summary>
    public List<Token> AllAccounts() => AllOf(Accounts);

    /// <summary>Returns the users of an account, ordered by their names.</summary>
    public List<Token> UsersOf(string account) => AllOf(FolderOfUsers(account));

    /// <summary>Reads all tokens of a folder, such as that of a resolver.</summary>
    /// <exception cref="AuthException">A file cannot be used.</exception>
    public static List<Token> AllOf(string folder)
    {
        try
        {
            return Directory.Exists(folder)
                ? [.. Directory.GetFiles(folder, "*" + TokenEnd).Select(AuthFile.ReadToken).OrderBy(static t => t.Name, StringComparer.Ordinal).ThenBy(static t => t.Subject, StringComparer.Ordinal)]
                : [];
        }
        catch (Exception e) when (AuthFile.IsOfFile(e))
        {
            throw new AuthException($"cannot read the folder {folder}: {ErrorText.WithoutParameter(e.Message).TrimEnd('.')}");
        }
    }

    /// <summary>Returns the key pair of a public key, or null if the store does not have its seed.</summary>
    /// <exception cref="AuthException">The file of the seed cannot be used.</exception>
    public NkeyPair? FindKey(string publicKey)
    {
        string file = FileOfKey(publicKey);
        // The text may come from a token of somebody else, and must not become the path of another file.
        if (!publicKey.All(char.IsAsciiLetterOrDigit) || !File.Exists(file))
        {
            return null;
        }

        try
        {
            var keys = NkeyPair.FromSeed(AuthFile.ReadText(file));
            return string.Equals(keys.PublicKey, publicKey, StringComparison.Ordinal) ? keys
                : throw new AuthException($"the file {file} has the seed of another key: {keys.PublicKey}");
        }
        catch (FormatException)
        {
            throw new AuthException($"the file {file} does not contain a seed");
        }
    }

    public string FileOfKey(string publicKey) => Path.Combine(Keys, publicKey + SeedEnd);

    public void Save(NkeyPair keys) => AuthFile.Write(FileOfKey(keys.PublicKey), keys.ExportSeed() + "\n");

    public void Save(Token token)
    {
        string file = token.Kind switch
        {
            "operator" => OperatorFile,
            "account" => Path.Combine(Accounts, token.Subject + TokenEnd),
            _ => Path.Combine(FolderOfUsers(token.Account), token.Subject + TokenEnd),
        };
        AuthFile.Write(file, token.Text + "\n");
        if (token.Kind == "operator")
        {
            Operator = token;
        }
    }

    private static string FileOfOperator(string folder) => Path.Combine(folder, "operator" + TokenEnd);

    private string FolderOfUsers(string account) => Path.Combine(Folder, "users", account);

    private static FileStream Hold(string folder)
    {
        string file = Path.Combine(folder, ".lock");
        try
        {
            return new FileStream(file, FileMode.OpenOrCreate, FileAccess.ReadWrite, FileShare.None);
        }
        catch (IOException) when (File.Exists(file))
        {
            throw new AuthException($"another command changes the folder {folder} at this moment; try again");
        }
        catch (Exception e) when (AuthFile.IsOfFile(e))
        {
            throw new AuthException($"cannot write to the folder {folder}: {ErrorText.WithoutParameter(e.Message).TrimEnd('.')}");
        }
    }
}
