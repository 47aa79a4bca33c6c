using Mono.Cecil;
using Mono.Cecil.Cil;
using Mono.Cecil.Rocks;

namespace Broker.Structure.Tests;

/// <summary>
/// Which source folders of a project use which others of it. A use is a base type, an interface, a field, a signature,
/// a constraint, or a type or member that code mentions.
/// </summary>
internal sealed class FolderGraph
{
    private readonly Dictionary<string, HashSet<string>> _uses = [];
    private readonly Dictionary<(string From, string To), SortedSet<string>> _because = [];
    private readonly Dictionary<TypeDefinition, string?> _folders = [];
    private readonly ModuleDefinition _module;
    private readonly SourceFolders _source;
    private readonly Func<string, bool> _includes;
    private readonly IReadOnlyCollection<string> _hubs;

    /// <param name="assembly">The assembly to read, with its PDB beside it.</param>
    /// <param name="project">The name of the project's folder.</param>
    /// <param name="includes">Which folders to look at; all of them if null.</param>
    /// <param name="hubs">The names of types whose use is not a use of their folder; none if null.</param>
    internal FolderGraph(
        AssemblyDefinition assembly, string project, Func<string, bool>? includes = null, IReadOnlyCollection<string>? hubs = null)
    {
        _module = assembly.MainModule;
        _source = new SourceFolders(_module.FileName, project);
        _includes = includes ?? (static _ => true);
        _hubs = hubs ?? [];
        foreach (TypeDefinition type in _module.GetAllTypes())
        {
            Add(type);
        }
    }

    internal IReadOnlyCollection<string> Folders => _uses.Keys;

    internal bool Uses(string from, string to) => _uses.TryGetValue(from, out HashSet<string>? uses) && uses.Contains(to);

    /// <summary>Groups of folders each of which uses, in one or more steps, all others of its group.</summary>
    internal List<string[]> Circles()
    {
        var reach = _uses.Keys.ToDictionary(n => n, Reachable);
        return
        [
            .. _uses.Keys
                .Select(n => _uses.Keys
                    .Where(other => reach[n].Contains(other) && reach[other].Contains(n))
                    .Order(StringComparer.Ordinal)
                    .ToArray())
                .Where(circle => circle.Length > 1)
                .DistinctBy(circle => string.Join(' ', circle)),
        ];
    }

    /// <summary>The uses that join the folders of a circle, one line for each pair of folders.</summary>
    internal IEnumerable<string> Why(string[] circle)
        => _because
            .Where(use => circle.Contains(use.Key.From) && circle.Contains(use.Key.To))
            .OrderBy(use => use.Key.From, StringComparer.Ordinal)
            .Select(use => $"{use.Key.From} → {use.Key.To}: {string.Join(", ", use.Value.Take(6))}"
                + (use.Value.Count > 6 ? $" and {use.Value.Count - 6} more" : ""));

    private HashSet<string> Reachable(string from)
    {
        var seen = new HashSet<string>();
        var left = new Stack<string>([from]);
        while (left.TryPop(out string? at))
        {
            foreach (string next in _uses.GetValueOrDefault(at) ?? [])
            {
                if (seen.Add(next))
                {
                    left.Push(next);
                }
            }
        }

        return seen;
    }

    private void Add(TypeDefinition type)
    {
        if (FolderOf(type) is { } folder)
        {
            var from = new Place(folder, type);
            Use(from, type.BaseType);
            foreach (InterfaceImplementation implemented in type.Interfaces)
            {
                Use(from, implemented.InterfaceType);
            }

            foreach (FieldDefinition field in type.Fields)
            {
                Use(from, field.FieldType);
            }

            foreach (GenericParameterConstraint constraint in type.GenericParameters.SelectMany(p => p.Constraints))
            {
                Use(from, constraint.ConstraintType);
            }
        }

        foreach (MethodDefinition method in type.Methods)
        {
            if ((_source.OfMethod(method.MetadataToken.ToInt32()) ?? FolderOf(type)) is { } place)
            {
                var from = new Place(place, type);
                UseSignature(from, method);
                if (method.HasBody)
                {
                    UseBody(from, method.Body);
                }
            }
        }
    }

    private void UseSignature(Place from, MethodDefinition method)
    {
        Use(from, method.ReturnType);
        foreach (ParameterDefinition parameter in method.Parameters)
        {
            Use(from, parameter.ParameterType);
        }
    }

    private void UseBody(Place from, MethodBody body)
    {
        foreach (VariableDefinition variable in body.Variables)
        {
            Use(from, variable.VariableType);
        }

        foreach (Instruction instruction in body.Instructions)
        {
            switch (instruction.Operand)
            {
                case TypeReference type:
                    Use(from, type);
                    break;
                case MethodReference method:
                    UseMethod(from, method);
                    break;
                case FieldReference field:
                    Use(from, field.DeclaringType);
                    break;
            }
        }
    }

    private void UseMethod(Place from, MethodReference method)
    {
        foreach (TypeReference argument in (method as GenericInstanceMethod)?.GenericArguments ?? [])
        {
            Use(from, argument);
        }

        // The parts of a partial type may be in several folders: the used folder is that of the called method.
        if (IsOurs(method.DeclaringType) && method.Resolve() is { } definition
            && _source.OfMethod(definition.MetadataToken.ToInt32()) is { } folder)
        {
            foreach (TypeReference argument in (method.DeclaringType as GenericInstanceType)?.GenericArguments ?? [])
            {
                Use(from, argument);
            }

            Connect(from, folder, definition.DeclaringType);
            return;
        }

        Use(from, method.DeclaringType);
    }

    private void Use(Place from, TypeReference? to)
    {
        switch (to)
        {
            case null or GenericParameter:
                return;
            case GenericInstanceType generic:
                Use(from, generic.ElementType);
                foreach (TypeReference argument in generic.GenericArguments)
                {
                    Use(from, argument);
                }

                return;
            case TypeSpecification specification:
                Use(from, specification.ElementType);
                return;
        }

        if (IsOurs(to) && to.Resolve() is { } definition && FolderOf(definition) is { } folder)
        {
            Connect(from, folder, definition);
        }
    }

    private bool IsOurs(TypeReference type) => type.Scope == _module || type.Scope?.Name == _module.Name;

    private void Connect(Place from, string folder, TypeDefinition to)
    {
        if (!_includes(from.Folder) || !_includes(folder) || _hubs.Contains(Outermost(to).Name))
        {
            return;
        }

        _uses.TryAdd(from.Folder, []);
        _uses.TryAdd(folder, []);
        if (from.Folder != folder)
        {
            _uses[from.Folder].Add(folder);
            _because.TryAdd((from.Folder, folder), new SortedSet<string>(StringComparer.Ordinal));
            _because[(from.Folder, folder)].Add($"{Outermost(from.Type).Name} uses {Outermost(to).Name}");
        }
    }

    /// <summary>
    /// The folder in which most of a type's methods lie; for a type without code, the folder of its declaration; for a
    /// type that the compiler made inside another, that of the other. Null for generated types outside all.
    /// </summary>
    private string? FolderOf(TypeDefinition type)
    {
        if (_folders.TryGetValue(type, out string? known))
        {
            return known;
        }

        string? folder = _source.OfType(type.MetadataToken.ToInt32())
            ?? type.Methods
                .Select(method => _source.OfMethod(method.MetadataToken.ToInt32()))
                .OfType<string>()
                .GroupBy(f => f, StringComparer.Ordinal)
                .OrderByDescending(group => group.Count())
                .ThenBy(group => group.Key, StringComparer.Ordinal)
                .FirstOrDefault()?.Key
            ?? (type.DeclaringType is { } outer ? FolderOf(outer) : null);
        _folders[type] = folder;
        return folder;
    }

    private static TypeDefinition Outermost(TypeDefinition type)
    {
        while (type.DeclaringType is not null)
        {
            type = type.DeclaringType;
        }

        return type;
    }

    private readonly record struct Place(string Folder, TypeDefinition Type);
}
