using System.Runtime.Versioning;
using System.Security.AccessControl;
using System.Security.Principal;

namespace Broker.Cli.Secrets;

/// <summary>Creates files that only their owner can read.</summary>
internal static class SecretFile
{
    private const int BufferSize = 4096;

    /// <summary>
    /// Creates a file that does not exist yet. It has its permissions from the first moment on, so that nobody can open
    /// it before they are set.
    /// </summary>
    /// <exception cref="IOException">The file exists or cannot be created.</exception>
    /// <exception cref="UnauthorizedAccessException">The folder may not be written to.</exception>
    public static FileStream Create(string file) => OperatingSystem.IsWindows()
        ? CreateOnWindows(file)
        : new FileStream(file, new FileStreamOptions
        {
            Mode = FileMode.CreateNew,
            Access = FileAccess.Write,
            UnixCreateMode = UnixFileMode.UserRead | UnixFileMode.UserWrite,
        });

    [SupportedOSPlatform("windows")]
    private static FileStream CreateOnWindows(string file)
    {
        using var user = WindowsIdentity.GetCurrent();
        var security = new FileSecurity();
        // Without this, the file inherits the readers of its folder.
        security.SetAccessRuleProtection(isProtected: true, preserveInheritance: false);
        security.AddAccessRule(new FileSystemAccessRule(user.User!, FileSystemRights.FullControl, AccessControlType.Allow));
        return new FileInfo(file).Create(FileMode.CreateNew, FileSystemRights.Write, FileShare.None, BufferSize, FileOptions.None, security);
    }
}
