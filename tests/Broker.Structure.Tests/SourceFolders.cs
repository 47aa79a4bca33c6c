using System.Reflection.Metadata;
using System.Reflection.Metadata.Ecma335;
using System.Reflection.PortableExecutable;

namespace Broker.Structure.Tests;

/// <summary>
/// The source folder of each type and method of an assembly, read from the documents that its PDB names. A folder is a
/// path below the project's own folder; the project's own folder is <see cref="Root"/>.
/// </summary>
internal sealed class SourceFolders
{
    internal const string Root = ".";

    // The portable PDB format names it TypeDefinitionDocuments: the documents of a type without a method body.
    private static readonly Guid TypeDefinitionDocuments = new("932E74BC-DBA9-4478-8D46-0F32A7BAB3D3");

    private readonly Dictionary<int, string> _byMethod = [];
    private readonly Dictionary<int, string> _byType = [];
    private readonly string _project;

    /// <param name="assembly">The path of the assembly; its PDB lies beside it or inside it.</param>
    /// <param name="project">The name of the project's folder, as it stands in the paths of its sources.</param>
    internal SourceFolders(string assembly, string project)
    {
        _project = project;
        using var image = new PEReader(File.OpenRead(assembly));
        if (!image.TryOpenAssociatedPortablePdb(assembly, File.OpenRead, out MetadataReaderProvider? provider, out _) || provider is null)
        {
            throw new FileNotFoundException($"There is no PDB for {assembly}, neither beside it nor inside it.");
        }

        MetadataReader pdb = provider.GetMetadataReader();
        foreach (MethodDebugInformationHandle handle in pdb.MethodDebugInformation)
        {
            DocumentHandle document = pdb.GetMethodDebugInformation(handle).Document;
            if (!document.IsNil && FolderOf(pdb, document) is { } folder)
            {
                _byMethod[MetadataTokens.GetToken(handle.ToDefinitionHandle())] = folder;
            }
        }

        foreach (CustomDebugInformation information in pdb.CustomDebugInformation.Select(pdb.GetCustomDebugInformation))
        {
            if (information.Parent.Kind == HandleKind.TypeDefinition && pdb.GetGuid(information.Kind) == TypeDefinitionDocuments)
            {
                BlobReader documents = pdb.GetBlobReader(information.Value);
                if (FolderOf(pdb, MetadataTokens.DocumentHandle(documents.ReadCompressedInteger())) is { } folder)
                {
                    _byType[MetadataTokens.GetToken(information.Parent)] = folder;
                }
            }
        }
    }

    /// <summary>The folder of a method's source; null if the compiler made the method.</summary>
    internal string? OfMethod(int token) => _byMethod.GetValueOrDefault(token);

    /// <summary>The folder of a type that has no method with a body; null for other types.</summary>
    internal string? OfType(int token) => _byType.GetValueOrDefault(token);

    // Generated sources lie outside the project's folder or below obj.
    private string? FolderOf(MetadataReader pdb, DocumentHandle document)
    {
        string path = pdb.GetString(pdb.GetDocument(document).Name).Replace('\\', '/');
        string marker = $"/{_project}/";
        int start = path.LastIndexOf(marker, StringComparison.Ordinal);
        if (start < 0)
        {
            return null;
        }

        string below = path[(start + marker.Length)..];
        if (below.StartsWith("obj/", StringComparison.Ordinal))
        {
            return null;
        }

        int end = below.LastIndexOf('/');
        return end < 0 ? Root : below[..end];
    }
}
